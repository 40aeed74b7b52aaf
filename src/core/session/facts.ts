// Facts that a decision may depend on and that need I/O: whether a loop is done, which items a
// file lists, which session a `run` starts. A command brings the known facts. If one is missing,
// the decision is a refusal that names it (`needOf`); the engine finds it out and decides again.
// Nothing is committed before all facts are known.

import type { Decision } from '../decision.ts';
import { type Refusal, refuse } from '../refusal.ts';
import type { ForEachEntry, LoopEntry, RunEntry } from '../workflow.ts';
import type { Json, Outputs } from './state.ts';

/** By the name of the entry. One command never needs two facts about the same entry. */
export interface Facts {
  readonly untils?: Readonly<Record<string, UntilOutcome>>;
  readonly items?: Readonly<Record<string, readonly Json[]>>;
  /** The id that the nested session has or will get. */
  readonly runs?: Readonly<Record<string, string>>;
}

/** The outcome of a loop's `until`. */
export type UntilOutcome =
  | { readonly kind: 'done' }
  /** `said`: the last 4 KiB of the check's output, or the issues. */
  | { readonly kind: 'not_yet'; readonly said: string }
  /** Exit code 126 or above, a signal, a timeout, a missing output. */
  | { readonly kind: 'cannot_tell'; readonly why: string };

/** The paths of a submitted output, and their hashes as accepted. */
export interface HandedIn {
  readonly paths: Outputs[string];
  readonly files: Readonly<Record<string, string>>;
}

export type Need =
  /** For `facts.untils`. Conditions over the context are judged by the core. */
  | {
      readonly kind: 'until';
      readonly loop: LoopEntry;
      readonly pass: number;
      /** For `rules`: the output in this pass; for a step of a `for_each`, that of each item. */
      readonly output: readonly HandedIn[];
    }
  /** For `facts.items`; `readItems` returns them, or the refusal of the call. */
  | { readonly kind: 'items'; readonly entry: ForEachEntry; readonly output: HandedIn }
  /** For `facts.runs`: the workflow and its inputs must be resolved first, which may refuse. */
  | {
      readonly kind: 'run';
      readonly entry: RunEntry;
      /** Values by input name; inputs without a value are absent. */
      readonly given: Readonly<Record<string, unknown>>;
    };

interface NeedRefusal extends Refusal {
  readonly need: Need;
}

/** Code that does not look for `need` sees an ordinary refusal. */
export function refuseForNeed(need: Need): NeedRefusal {
  const { name } = need.kind === 'until' ? need.loop : need.entry;
  return { ...refuse('fact_missing', `'${name}' cannot be decided yet`), need };
}

/** The missing fact; null if the decision needs none. */
export function needOf<E, A>(decision: Decision<E, A>): Need | null {
  if (decision.kind !== 'refused') return null;
  return 'need' in decision.refusal ? (decision.refusal as NeedRefusal).need : null;
}

/** Adds one fact. */
export function withFact(
  facts: Facts,
  need: Need,
  found: UntilOutcome | readonly Json[] | string,
): Facts {
  switch (need.kind) {
    case 'until':
      return { ...facts, untils: { ...facts.untils, [need.loop.name]: found as UntilOutcome } };
    case 'items':
      return { ...facts, items: { ...facts.items, [need.entry.name]: found as readonly Json[] } };
    case 'run':
      return { ...facts, runs: { ...facts.runs, [need.entry.name]: found as string } };
  }
}
