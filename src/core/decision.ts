// The result of a decider: an event to commit, with the answer for the caller; an answer
// without a change (for example, if the same call was already accepted); or a refusal. The
// answer is omitted if the new state says everything.

import type { Refusal } from './refusal.ts';

export type Decision<Event, Answer = undefined> =
  | { readonly kind: 'commit'; readonly event: Event; readonly answer: Answer }
  | { readonly kind: 'unchanged'; readonly answer: Answer }
  | RefusedCall;

export interface RefusedCall {
  readonly kind: 'refused';
  readonly refusal: Refusal;
}

export function commit<Event>(event: Event): Decision<Event>;
export function commit<Event, Answer>(event: Event, answer: Answer): Decision<Event, Answer>;
export function commit(event: unknown, answer?: unknown): Decision<unknown, unknown> {
  return { kind: 'commit', event, answer };
}

export function unchanged(): Decision<never>;
export function unchanged<Answer>(answer: Answer): Decision<never, Answer>;
export function unchanged(answer?: unknown): Decision<never, unknown> {
  return { kind: 'unchanged', answer };
}

export function refused(refusal: Refusal): RefusedCall {
  return { kind: 'refused', refusal };
}
