// The values that scripted agents give for variables: those that conditions distinguish, so that a
// few runs reach every branch.

import { openPatternBudget, type PatternBudget } from '../core/pattern-budget.ts';
import { type DeclaredVariable, problemWith } from '../core/variables.ts';
import { type Entry, type Job, stepsOf, type Workflow } from '../core/workflow.ts';
import { spotsOf } from '../definitions/proofs/spots.ts';
import { trackedIn } from '../definitions/proofs/tracked.ts';
import type { Draw } from './random.ts';

/** By variable; `undefined` among the values means that it may be left out. */
export type ValuesByName = ReadonlyMap<string, readonly unknown[]>;

/** The values of every variable that a condition of the workflow uses. */
export function valuesIn(job: Job, workflow: Workflow): ValuesByName {
  const tracked = trackedIn(job, spotsOf(workflow), openPatternBudget());
  const found = new Map<string, unknown[]>();
  const add = (name: string, values: readonly unknown[]) => {
    const known = found.get(name) ?? [];
    found.set(name, [...known, ...values.filter((value) => !known.includes(value))]);
  };
  for (const { name, atStart, given } of tracked.variables) add(name, [...atStart, ...given]);
  for (const step of stepsOf(workflow)) {
    for (const { name, values } of tracked.reports(step)) add(name, values);
  }
  return found;
}

export function valueFor(draw: Draw, declared: DeclaredVariable, values: ValuesByName): unknown {
  const { name, type, enum: allowed, required, default: initial } = declared;
  const budget = openPatternBudget();
  const known = (values.get(name) ?? []).filter((value) => fits(declared, value, budget));
  if (known.length > 0) return draw.pick(known);
  if (!required) return undefined;
  const plain = { boolean: [true, false], number: [1, 0], string: ['text'], file: [] }[type];
  const candidates = [...(initial === null ? [] : [initial]), ...(allowed ?? plain)];
  return draw.pick(candidates.filter((value) => fits(declared, value, budget)));
}

function fits(declared: DeclaredVariable, value: unknown, budget: PatternBudget): boolean {
  const mayBeLeftOut = !declared.required || declared.default !== null;
  return value === undefined ? mayBeLeftOut : problemWith(declared, value, budget) === null;
}

/** What is given at the start besides inputs: values for variables that are not declared. */
export function contextFor(
  draw: Draw,
  job: Job,
  workflow: Workflow,
): Readonly<Record<string, unknown>> {
  const context: Record<string, unknown> = {};
  for (const { name, given } of trackedIn(job, spotsOf(workflow), openPatternBudget()).variables) {
    if (given.length === 0) continue;
    const value = draw.pick([undefined, ...given]);
    if (value !== undefined) context[name] = value;
  }
  return context;
}

/** The outputs of a step that a `for_each` takes its items from. */
export function itemOutputs({ entries }: Pick<Workflow, 'entries'>, step: string): Set<string> {
  return new Set(entries.flatMap((entry) => itemsOf(entry, step)));
}

function itemsOf(entry: Entry, step: string): readonly string[] {
  if (entry.kind === 'loop') return entry.entries.flatMap((inner) => itemsOf(inner, step));
  if (entry.kind !== 'for_each' || entry.items.step !== step) return [];
  return [entry.items.output];
}
