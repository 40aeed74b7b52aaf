// Walks the entries of a parsed workflow, at any depth.

import type { Located } from '../../reader/fields.ts';
import type { ParsedEntry } from './parsed-entry.ts';

/** Those that contain others come before what is in them. */
export function allEntries(entries: readonly ParsedEntry[]): readonly ParsedEntry[] {
  return entries.flatMap((entry) => [entry, ...allEntries(entry.entries)]);
}

/** The ids of the steps of an entry and of the entries inside it, in file order. */
export function stepIdsOf(entry: ParsedEntry): readonly Located[] {
  return [...entry.steps, ...entry.entries.flatMap(stepIdsOf)];
}

/** For each step, the number of its entry among those that have work of their own. */
export function orderOfSteps(entries: readonly ParsedEntry[]): ReadonlyMap<string, number> {
  const order = new Map<string, number>();
  const leaves = allEntries(entries).filter(({ kind }) => kind !== 'loop');
  for (const [index, { steps }] of leaves.entries()) {
    for (const { value } of steps) if (!order.has(value)) order.set(value, index);
  }
  return order;
}
