// What a run's gate demands, in a form that a session can keep and compare with later: a
// definition or a setting may be edited while the run is under way, and a gate that became
// weaker is something that a person should see.
//
// Of each step it keeps its demands by name, each with a mark that changes with what is
// demanded. A demand that is gone, or that says something else, counts as weaker, because
// no one can tell from the texts alone whether it still catches what it caught before. One
// that was added is stricter and needs no word.

import { OVERRIDE_RULES, type OverrideRule } from '../overrides.ts';
import { type Entry, type Step, stepsOf, type Until, type Workflow } from '../workflow.ts';

export interface Gate {
  /** Demands of each step of the workflow, by step id, in the order of the workflow. */
  readonly steps: Readonly<Record<string, Demands>>;
  readonly reviewer: string;
  readonly overrides: OverrideRule;
  readonly maxAttempts: number;
}

/** By name, such as `check lint`; the mark is text where it is short, else a hash. */
type Demands = Readonly<Record<string, string>>;

export interface GateSettings {
  readonly reviewer: {
    readonly kind: 'off' | 'self' | 'runner' | 'command';
    readonly runner?: string;
    readonly command?: string;
  };
  readonly overrides: OverrideRule;
  readonly maxAttempts: number;
}

/** One thing that is weaker than it was. */
export interface Weakening {
  /** Null: it holds for the whole run. */
  readonly step_id: string | null;
  /** In words. */
  readonly what: string;
}

/** Who agreed to something that only a person may, and in answer to which question. */
export interface Grant {
  readonly question: string;
  readonly by: string;
  readonly route: string;
}

export type Digest = (text: string) => string;

const ALWAYS = 'always';
const SHOWN = 120;

export function demandsOf(workflow: Workflow, digest: Digest): Gate['steps'] {
  return Object.fromEntries([
    ...stepsOf(workflow).map((step) => [step.id, Object.fromEntries(stepDemands(step, digest))]),
    ...workflow.entries.flatMap((entry) => entryDemands(entry, digest)),
  ]);
}

/** What has to hold at an entry itself: that a person approves, or what ends a loop. */
function entryDemands(entry: Entry, digest: Digest): [string, Demands][] {
  if (entry.kind === 'approve') {
    return [[entry.name, { approval: digest(JSON.stringify(entry.show)) }]];
  }
  if (entry.kind !== 'loop') return [];
  const { name, until, entries } = entry;
  const own = until.kind === 'check' ? mark(until.check.run, digest) : digest(textOf(until));
  return [[name, { until: own }], ...entries.flatMap((inner) => entryDemands(inner, digest))];
}

function textOf(until: Exclude<Until, { kind: 'check' }>): string {
  if (until.kind === 'when') return JSON.stringify(until.condition.source);
  return JSON.stringify([until.output, until.criteria.source]);
}

export function gateOf(steps: Gate['steps'], settings: GateSettings, digest: Digest): Gate {
  const { reviewer, overrides, maxAttempts } = settings;
  const command = reviewer.command === undefined ? '' : ` ${mark(reviewer.command, digest)}`;
  return {
    steps,
    reviewer: `${reviewer.runner ?? reviewer.kind}${command}`,
    overrides,
    maxAttempts,
  };
}

/** What of `before` does not hold in `now`; of steps that are done, too: work may go back. */
export function weakenings(before: Gate, now: Gate): Weakening[] {
  const found: Weakening[] = [];
  for (const [step_id, demands] of Object.entries(before.steps)) {
    if (!Object.hasOwn(now.steps, step_id)) {
      found.push({ step_id, what: 'the step was removed' });
      continue;
    }
    const present = now.steps[step_id] ?? {};
    for (const [name, was] of Object.entries(demands)) {
      const is = Object.hasOwn(present, name) ? (present[name] as string) : null;
      const what = is === was ? null : inWords(name, was, is);
      if (what !== null) found.push({ step_id, what });
    }
  }
  const ofRun = (what: string) => found.push({ step_id: null, what });
  if (isReordered(Object.keys(before.steps), Object.keys(now.steps))) {
    ofRun('the steps are in another order');
  }
  if (isWeakerReviewer(before.reviewer, now.reviewer)) {
    ofRun(`reviewer: ${before.reviewer} → ${now.reviewer}`);
  }
  if (OVERRIDE_RULES.indexOf(now.overrides) < OVERRIDE_RULES.indexOf(before.overrides)) {
    ofRun(`overrides: ${before.overrides} → ${now.overrides}`);
  }
  if (now.maxAttempts > before.maxAttempts) {
    ofRun(`attempts at a review: ${before.maxAttempts} → ${now.maxAttempts}`);
  }
  return found;
}

export function isSameGate(one: Gate, other: Gate): boolean {
  return (
    one.reviewer === other.reviewer &&
    one.overrides === other.overrides &&
    one.maxAttempts === other.maxAttempts &&
    (one.steps === other.steps || JSON.stringify(one.steps) === JSON.stringify(other.steps))
  );
}

/** For a sentence: `step 'write': check 'lint' was removed`. */
export function tellWeakening({ step_id, what }: Weakening): string {
  return step_id === null ? what : `step '${step_id}': ${what}`;
}

function* stepDemands(step: Step, digest: Digest): Iterable<[string, string]> {
  yield ['condition', step.when === null ? ALWAYS : digest(JSON.stringify(step.when.source))];
  for (const { name, required, rules, lint } of step.outputs) {
    if (required) yield [`output '${name}'`, 'required'];
    if (lint) yield [`lint of output '${name}'`, lint];
    if (rules !== null) yield [`rules of output '${name}'`, digest(JSON.stringify(rules.source))];
  }
  for (const { name, type, enum: values, pattern, required } of step.reports ?? []) {
    if (!required) continue;
    yield [`report '${name}'`, digest(JSON.stringify([type, values, pattern?.source]))];
  }
  for (const { name, run } of step.checks) yield [`check '${name}'`, mark(run, digest)];
  const seen = new Map<string, number>();
  for (const { runEach, criteria, guidance } of step.reviews) {
    const count = (seen.get(runEach) ?? 0) + 1;
    seen.set(runEach, count);
    const review = `review of '${runEach}'${count === 1 ? '' : ` (${count})`}`;
    yield [review, 'required'];
    if (guidance !== null) yield [`guidance of the ${review}`, digest(guidance)];
    for (const { name, text } of criteria) {
      yield [`criterion '${name}' of the ${review}`, digest(text)];
    }
  }
}

/** Null: it is not weaker. */
function inWords(name: string, was: string, is: string | null): string | null {
  if (name === 'condition') return is === ALWAYS ? null : 'its condition was changed';
  const isText = name.startsWith('check ');
  const verb = name.startsWith('rules ') ? 'were' : 'was';
  if (is !== null) return `${name} ${verb} changed${isText ? `: ${was} → ${is}` : ''}`;
  if (name.startsWith('output ')) return `${name} is no longer required`;
  return `${name} ${verb} removed${isText ? ` (was: ${was})` : ''}`;
}

/** What moves to before the current step would never be done. */
function isReordered(before: readonly string[], now: readonly string[]): boolean {
  const kept = before.filter((id) => now.includes(id));
  const found = now.filter((id) => before.includes(id));
  return kept.some((id, at) => id !== found[at]);
}

function mark(text: string, digest: Digest): string {
  const line = text.replaceAll('\n', '↵');
  return line === text && text.length <= SHOWN ? text : `${line.slice(0, 60)}… #${digest(text)}`;
}

function isWeakerReviewer(before: string, now: string): boolean {
  if (before === now) return false;
  // Another reviewer that is not the author may be better or worse: no one can tell.
  return rank(now) < rank(before) || (rank(now) === 2 && rank(before) === 2);
}

function rank(reviewer: string): number {
  return reviewer === 'off' ? 0 : reviewer === 'self' ? 1 : 2;
}
