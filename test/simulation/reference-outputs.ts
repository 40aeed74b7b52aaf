// The reference's own reading of the contract on outputs: which members of an entry a call submits,
// and what is wrong with its names. Deliberately verbose; it shares nothing with the code it checks.

import path from 'node:path';
import type { Value } from './calls.ts';
import type { PlainOutput, PlainStep } from './definitions.ts';

export interface Wrong {
  readonly code: string;
  readonly message: string;
}

/** The values of each submitted member, by output name, in the order of the members. */
export type Given = Map<string, Map<string, Value>>;

export interface Submitted {
  readonly given: Given;
}

interface Declared {
  readonly step: PlainStep;
  readonly output: PlainOutput;
  /** The name that the caller has to use. */
  readonly shown: string;
}

export function declaredBy(members: readonly PlainStep[]): Declared[] {
  const declared: Declared[] = [];
  for (const step of members) {
    for (const output of step.outputs) {
      let owners = 0;
      for (const other of members) {
        if (other.outputs.some((each) => each.name === output.name)) owners += 1;
      }
      const shown = owners > 1 ? `${step.id}.${output.name}` : output.name;
      declared.push({ step, output, shown });
    }
  }
  return declared;
}

export function sharedNames(members: readonly PlainStep[], step: PlainStep): string[] {
  const names: string[] = [];
  for (const each of declaredBy(members)) {
    if (each.step === step && each.shown !== each.output.name) names.push(each.output.name);
  }
  return names;
}

export function sortOut(
  members: readonly PlainStep[],
  done: ReadonlySet<string>,
  sent: Value,
  stepId: string | null,
): Submitted | Wrong {
  const declared = declaredBy(members);
  const names = declared.map((each) => each.shown).sort();
  const restated = `Declared outputs: ${names.length === 0 ? '(none)' : names.join(', ')}`;

  let pairs: [Declared, Value][];
  if (Array.isArray(sent)) {
    const matched = matchList(sent, declared);
    if (matched === null) {
      const message = `Outputs given as a list cannot be matched. ${restated}`;
      return { code: 'outputs_unmatched', message };
    }
    pairs = matched;
  } else {
    const read = readMap(sent, declared, stepId);
    if ('message' in read) return read;
    if (read.unknown.length > 0) {
      const message = `Unknown output names: ${read.unknown.sort().join(', ')}. ${restated}`;
      return { code: 'outputs_unknown', message };
    }
    pairs = read.pairs;
  }

  const submitted = submittedBy(members, pairs, stepId);
  const { given } = submitted;
  const owing = given.size > 0 ? [...given.keys()] : idsOf(members).filter((id) => !done.has(id));
  const missing: string[] = [];
  for (const each of declared) {
    if (!each.output.required || !owing.includes(each.step.id)) continue;
    if (!given.get(each.step.id)?.has(each.output.name)) missing.push(each.shown);
  }
  if (missing.length > 0) {
    const message = `Missing required outputs: ${missing.sort().join(', ')}. All required outputs must be provided.`;
    return { code: 'outputs_missing', message };
  }
  return submitted;
}

/** Whether every value has the declared shape; a required list is never empty. */
export function fits(members: readonly PlainStep[], given: Given): boolean {
  for (const step of members) {
    for (const output of step.outputs) {
      const value = given.get(step.id)?.get(output.name);
      if (value === undefined) continue;
      if (output.type === 'file' && typeof value !== 'string') return false;
      if (output.type === 'files') {
        if (!Array.isArray(value)) return false;
        if (value.some((each) => typeof each !== 'string')) return false;
        if (value.length === 0 && output.required) return false;
      }
    }
  }
  return true;
}

/** A path is meant for an output if it or its last part is the name, or is below it. */
function matchList(
  sent: readonly Value[],
  declared: readonly Declared[],
): [Declared, Value][] | null {
  const pairs: [Declared, Value][] = [];
  const only = declared.length === 1 ? declared[0] : undefined;
  if (sent.length === 0) return pairs;
  if (only !== undefined) {
    if (only.output.type === 'files') return [[only, [...sent]]];
    return sent.length === 1 ? [[only, sent[0] as Value]] : null;
  }
  for (const each of sent) {
    if (typeof each !== 'string') return null;
    const plain = path.posix.normalize(each);
    const meant = declared.filter(({ output: { name } }) =>
      name.endsWith('/')
        ? plain.startsWith(name)
        : plain === name || path.posix.basename(plain) === name,
    );
    const target = meant[0];
    if (target === undefined || meant.length > 1) return null;
    const before = pairs.find(([declaration]) => declaration === target);
    if (before === undefined) {
      pairs.push([target, target.output.type === 'files' ? [each] : each]);
    } else if (target.output.type === 'file') {
      return null;
    } else {
      before[1] = [...(before[1] as Value[]), each];
    }
  }
  return pairs;
}

function readMap(
  sent: Value,
  declared: readonly Declared[],
  stepId: string | null,
): Wrong | { pairs: [Declared, Value][]; unknown: string[] } {
  const pairs: [Declared, Value][] = [];
  const unknown: string[] = [];
  for (const [name, value] of Object.entries(sent ?? {}) as [string, Value][]) {
    let meant = declared.filter((each) => each.shown === name);
    if (meant.length === 0) {
      meant = declared.filter((each) => each.output.name === name);
      const own = meant.filter((each) => each.step.id === stepId);
      if (own.length > 0) meant = own;
    }
    if (meant.length === 0) {
      meant = declared.filter((each) => `${each.step.id}.${each.output.name}` === name);
    }
    if (meant.length > 1) {
      const candidates = meant.map((each) => each.shown).join(', ');
      const message = `Output name '${name}' is ambiguous. Use one of: ${candidates}`;
      return { code: 'output_ambiguous', message };
    }
    const target = meant[0];
    if (target === undefined) unknown.push(name);
    else if (value !== null) pairs.push([target, value]);
  }
  return { pairs, unknown };
}

function submittedBy(
  members: readonly PlainStep[],
  pairs: readonly [Declared, Value][],
  stepId: string | null,
): Submitted {
  const spokenOf = new Set<string>();
  if (members.length === 1) for (const step of members) spokenOf.add(step.id);
  for (const [declared] of pairs) spokenOf.add(declared.step.id);
  if (stepId !== null) spokenOf.add(stepId);

  const given: Given = new Map();
  for (const step of members) {
    if (!spokenOf.has(step.id)) continue;
    const values = new Map<string, Value>();
    for (const output of step.outputs) {
      for (const [declared, value] of pairs) {
        if (declared.step === step && declared.output === output) values.set(output.name, value);
      }
    }
    given.set(step.id, values);
  }
  return { given };
}

function idsOf(steps: readonly PlainStep[]): string[] {
  return steps.map((step) => step.id);
}
