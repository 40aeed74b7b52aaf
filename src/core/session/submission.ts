// Which members of an entry a `finished_step` call submits, and with which outputs. Only names and
// shapes are checked here; the gate checks the files.

import { type RefusedCall, refused } from '../decision.ts';
import { addTo, groupBy } from '../groups.ts';
import { refuse } from '../refusal.ts';
import { shown as truncated } from '../wording.ts';
import type { Output, Step } from '../workflow.ts';
import type { Json } from './state.ts';

/** After so many unknown names of outputs, the others are not looked up. */
const MAX_UNKNOWN = 1000;
const MAX_LISTED = 100;

/** One output as a caller names it: `name`, or `step.name` if several members have that name. */
export interface ShownOutput {
  readonly shown: string;
  readonly step: Step;
  readonly output: Output;
  readonly shared: boolean;
}

export interface Submitted {
  readonly step: Step;
  /** By the output's own name. Values are not checked yet; null values are dropped. */
  readonly outputs: ReadonlyMap<string, unknown>;
}

export type Assignment =
  | { readonly kind: 'members'; readonly submitted: readonly Submitted[] }
  | RefusedCall;

export function shownOutputs(members: readonly Step[]): ShownOutput[] {
  const count = new Map<string, number>();
  for (const { outputs } of members) {
    for (const { name } of outputs) count.set(name, (count.get(name) ?? 0) + 1);
  }
  return members.flatMap((step) =>
    step.outputs.map((output) => {
      // Items differ only in their number, so it is always included.
      const shared = (count.get(output.name) ?? 0) > 1 || step.item !== undefined;
      return { shown: shared ? `${step.id}.${output.name}` : output.name, step, output, shared };
    }),
  );
}

/**
 * Assigns the outputs of a call to the members that declare them. A member is submitted by one of
 * its outputs or by its id; the only member of an entry is always submitted.
 */
export function assignOutputs(
  members: readonly Step[],
  done: (stepId: string) => boolean,
  sent: Json,
  stepId: string | null,
): Assignment {
  const shown = shownOutputs(members);
  const names = indexNames(shown);
  const named = Array.isArray(sent) ? nameListed(sent, shown, names) : entriesOf(sent);
  if (named === null) {
    return wrong(
      'outputs_unmatched',
      `Outputs given as a list cannot be matched. Declared outputs: ${listNames(shown)}`,
      shown,
    );
  }

  const byMember = new Map<string, Map<string, unknown>>();
  const unknown: string[] = [];
  for (const [name, value] of named) {
    const matches = matchName(name, names, stepId);
    if (matches.length > 1) {
      const candidates = matches.map((match) => match.shown).join(', ');
      return wrong(
        'output_ambiguous',
        `Output name '${truncated(name)}' is ambiguous. Use one of: ${candidates}`,
        shown,
      );
    }
    const match = matches[0];
    if (match === undefined) {
      unknown.push(name);
      if (unknown.length > MAX_UNKNOWN) break;
      continue;
    }
    if (value === null) continue;
    const outputs = byMember.get(match.step.id) ?? new Map<string, unknown>();
    byMember.set(match.step.id, outputs.set(match.output.name, value));
  }
  if (unknown.length > 0) {
    return wrong(
      'outputs_unknown',
      `Unknown output names: ${listed(unknown)}. Declared outputs: ${listNames(shown)}`,
      shown,
    );
  }

  const submitted = members
    .filter((step) => members.length === 1 || byMember.has(step.id) || step.id === stepId)
    .map((step) => ({ step, outputs: byMember.get(step.id) ?? NO_OUTPUTS }));
  // For a call that names no member, the outputs of all open members are due.
  const due =
    submitted.length > 0
      ? submitted
      : members.filter((step) => !done(step.id)).map((step) => ({ step, outputs: NO_OUTPUTS }));
  const missing = due.flatMap(({ step, outputs }) =>
    shown
      .filter((each) => each.step === step && each.output.required)
      .filter((each) => !outputs.has(each.output.name))
      .map((each) => each.shown),
  );
  if (missing.length > 0) {
    return wrong(
      'outputs_missing',
      `Missing required outputs: ${missing.sort().join(', ')}. All required outputs must be provided.`,
      shown,
    );
  }
  return { kind: 'members', submitted };
}

/** Whether a member of a concurrent entry may have to be named, because no output is required. */
export function isSubmittedByName(step: Step): boolean {
  return !step.outputs.some((output) => output.required);
}

/** How such a member is submitted. */
export function howToName(stepId: string): string {
  return `call finished_step with step_id "${stepId}" and outputs {}`;
}

/** The open members of a concurrent entry, and how to submit them. */
export function stillToSubmit(members: readonly Step[], open: readonly Step[]): string {
  const shown = shownOutputs(members);
  const texts = open.map((step) => {
    const names = shown.filter((each) => each.step === step).map((each) => each.shown);
    const outputs = names.length === 0 ? [] : [`outputs: ${names.join(', ')}`];
    const byName = isSubmittedByName(step)
      ? [`none required; if it made none, ${howToName(step.id)}`]
      : [];
    const details = [...outputs, ...byName].join('; ');
    return `${step.id} (${details})`;
  });
  return `Still to be submitted: ${texts.join(', ')}`;
}

function howToGive({ type, orList = false }: Output): string {
  if (type === 'files') return 'array of filepaths';
  return orList ? 'filepath or array of filepaths' : 'filepath';
}

/** The next move after invalid outputs. */
export function describeOutputs(shown: readonly ShownOutput[]): string {
  if (shown.length === 0) return 'call finished_step with outputs {}; this step declares none.';
  const lines = shown.map(
    ({ shown: name, output }) =>
      `${name} (${howToGive(output)}, ${output.required ? 'required' : 'optional'})`,
  );
  return `call finished_step with the declared outputs: ${lines.join('; ')}.`;
}

const NO_OUTPUTS: ReadonlyMap<string, unknown> = new Map();

/** The outputs by the names that a caller may use, because a call may have 100,000 of them. */
interface Names {
  readonly byShown: ReadonlyMap<string, readonly ShownOutput[]>;
  readonly byOwn: ReadonlyMap<string, readonly ShownOutput[]>;
  /** `step.name`, which is also accepted for names that are not shared. */
  readonly byStepAndName: ReadonlyMap<string, readonly ShownOutput[]>;
  /** Outputs named like a folder, which stand for every path in it. */
  readonly folders: readonly ShownOutput[];
}

function indexNames(shown: readonly ShownOutput[]): Names {
  return {
    byShown: groupBy(shown, (each) => [each.shown]),
    byOwn: groupBy(shown, ({ output }) => [output.name]),
    byStepAndName: groupBy(shown, ({ step, output }) => [`${step.id}.${output.name}`]),
    folders: shown.filter(({ output }) => output.name.endsWith('/')),
  };
}

function matchName(
  name: string,
  { byShown, byOwn, byStepAndName }: Names,
  stepId: string | null,
): readonly ShownOutput[] {
  const exact = byShown.get(name);
  if (exact !== undefined) return exact;
  const own = byOwn.get(name) ?? [];
  const ofStep = own.filter((each) => each.step.id === stepId);
  if (ofStep.length === 1) return ofStep;
  if (own.length > 0) return own;
  return byStepAndName.get(name) ?? [];
}

/** Null if it is not clear which output each path is meant for. */
function nameListed(
  paths: readonly Json[],
  shown: readonly ShownOutput[],
  names: Names,
): readonly (readonly [string, Json])[] | null {
  const found = new Map<ShownOutput, Json[]>();
  for (const path of paths) {
    // With a single output, the path need not resemble its name.
    const [match, another] = shown.length === 1 ? shown : matchPath(path, names);
    if (match === undefined || another !== undefined) return null;
    addTo(found, match, path);
  }
  const named: [string, Json][] = [];
  for (const [{ shown: name, output }, matched] of found) {
    if (output.type === 'files' || (output.orList && matched.length > 1)) {
      named.push([name, matched]);
    } else if (matched.length === 1) named.push([name, matched[0] as Json]);
    else return null;
  }
  return named;
}

/** The outputs that are named like a path, like the file at its end, or like a folder on it. */
function matchPath(path: Json, { byOwn, folders }: Names): readonly ShownOutput[] {
  if (typeof path !== 'string') return [];
  const clean = path.replace(/^\.\//, '');
  const file = clean.slice(clean.lastIndexOf('/') + 1);
  const around = folders.filter(
    ({ output: { name } }) => clean.startsWith(name) || clean.includes(`/${name}`),
  );
  const alike = new Set([...(byOwn.get(clean) ?? []), ...(byOwn.get(file) ?? []), ...around]);
  return [...alike];
}

function entriesOf(sent: Json): readonly (readonly [string, Json])[] {
  return typeof sent === 'object' && sent !== null ? Object.entries(sent) : [];
}

function listNames(shown: readonly ShownOutput[]): string {
  return shown.length === 0 ? '(none)' : listed(shown.map((each) => each.shown));
}

/** Sorted; of very many, the first ones. */
function listed(names: readonly string[]): string {
  const sorted = names.toSorted();
  const texts = sorted.slice(0, MAX_LISTED).map(truncated);
  const left = names.length - texts.length;
  return left === 0 ? texts.join(', ') : `${texts.join(', ')} and ${left} more`;
}

function wrong(code: string, message: string, shown: readonly ShownOutput[]): RefusedCall {
  return refused(refuse(code, message, describeOutputs(shown)));
}
