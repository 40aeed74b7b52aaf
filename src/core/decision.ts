// What a decider says of a call: an event to commit with the answer that becomes true by
// it, an answer for which nothing need change (as when the same call was accepted
// already), or a refusal. Where the new state says everything, the answer is left out.

import type { Refusal } from './refusal.ts';

export type Decision<Event, Answer = undefined> =
  | { readonly kind: 'commit'; readonly event: Event; readonly answer: Answer }
  | { readonly kind: 'unchanged'; readonly answer: Answer }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

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

export function refused(refusal: Refusal): Decision<never, never> {
  return { kind: 'refused', refusal };
}
