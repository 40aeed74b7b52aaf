// What a decision may depend on and the core cannot find out: whether a loop is done, which
// items a file lists, which session a `run` starts. A command brings what is known as `facts`.
// Where more is needed the decision is a refusal that says what (`needOf`): the engine finds it
// out and decides again with it. Nothing is committed before every fact is there.

import type { Decision } from '../decision.ts';
import { type Refusal, refuse } from '../refusal.ts';
import type { ForEachEntry, LoopEntry, RunEntry } from '../workflow.ts';
import type { Json, Outputs } from './state.ts';

/** By the name of the entry. One command never needs two facts about the same entry. */
export interface Facts {
  readonly untils?: Readonly<Record<string, UntilOutcome>>;
  readonly items?: Readonly<Record<string, readonly Json[]>>;
  /** The id that the nested session has got, or will get. */
  readonly runs?: Readonly<Record<string, string>>;
}

/** What judging the `until` of a loop came to. */
export type UntilOutcome =
  | { readonly kind: 'done' }
  /** `said`: the last 4 KiB of the check, or the issues. */
  | { readonly kind: 'not_yet'; readonly said: string }
  /** Exit 126 and above, a signal, a timeout, an output that is not there. */
  | { readonly kind: 'cannot_tell'; readonly why: string };

/** The paths that an output names, and their hashes as accepted; null: it was not handed in. */
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
      /** Of `rules`: the output in this pass; of a step of a `for_each`, of each item. */
      readonly output: readonly HandedIn[];
    }
  /** For `facts.items`; `readItems` makes them, or the refusal of the call. */
  | { readonly kind: 'items'; readonly entry: ForEachEntry; readonly output: HandedIn }
  /** For `facts.runs`: what it starts is resolved, and refused if it must be, before. */
  | {
      readonly kind: 'run';
      readonly entry: RunEntry;
      /** What its inputs get, by their names; those that nothing is known for are left out. */
      readonly given: Readonly<Record<string, unknown>>;
    };

interface NeedRefusal extends Refusal {
  readonly need: Need;
}

/** A decision that waits for a fact. Whoever does not look for it only sees a refusal. */
export function refuseForNeed(need: Need): NeedRefusal {
  const { name } = need.kind === 'until' ? need.loop : need.entry;
  return { ...refuse('fact_missing', `'${name}' cannot be decided yet`), need };
}

/** What has to be found out before this can be decided; null: it is decided. */
export function needOf<E, A>(decision: Decision<E, A>): Need | null {
  if (decision.kind !== 'refused') return null;
  return 'need' in decision.refusal ? (decision.refusal as NeedRefusal).need : null;
}

/** The facts with one more. */
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
