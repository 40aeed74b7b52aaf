// What a decider says: an event to commit with the answer that becomes true by it, an
// answer for which nothing need change, or a refusal.

import type { Refusal } from '../refusal.ts';
import type { TeamEvent } from './state.ts';

export type Decision<Answer> =
  | { readonly kind: 'commit'; readonly event: TeamEvent; readonly answer: Answer }
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export function commit<Answer>(event: TeamEvent, answer: Answer): Decision<Answer> {
  return { kind: 'commit', event, answer };
}

export function answer<Answer>(given: Answer): Decision<Answer> {
  return { kind: 'answer', answer: given };
}

export function refused(refusal: Refusal): Decision<never> {
  return { kind: 'refused', refusal };
}
