// Who works in the project's own checkout. Two unattended runs in one folder would undo each
// other's work, so one at a time holds it; what a process held that is gone is free.

import { commit, type Decision, refused, unchanged } from '../decision.ts';
import { refuse } from '../refusal.ts';
import type { Liveness } from '../session/ownership.ts';

export interface Holder {
  readonly run: string;
  readonly process: string;
}

export type CheckoutEvent =
  | { readonly type: 'taken'; readonly at: string; readonly data: Holder }
  | { readonly type: 'released'; readonly at: string; readonly data: Holder };

export interface Checkout {
  readonly holder: Holder | null;
}

export function evolveCheckout(_before: Checkout | null, event: CheckoutEvent): Checkout {
  return { holder: event.type === 'taken' ? event.data : null };
}

export function decideTake(
  checkout: Checkout | null,
  at: string,
  holder: Holder,
  livenessOf: (process: string) => Liveness,
): Decision<CheckoutEvent> {
  const now = checkout?.holder ?? null;
  if (now !== null && now.process !== holder.process && livenessOf(now.process) !== 'gone') {
    return refused(
      refuse(
        'checkout_taken',
        `Run ${now.run} is working in this checkout`,
        'wait for its end, stop it, or give this one a folder of its own with --worktree.',
      ),
    );
  }
  return commit({ type: 'taken', at, data: holder });
}

export function decideRelease(
  checkout: Checkout | null,
  at: string,
  holder: Holder,
): Decision<CheckoutEvent> {
  const now = checkout?.holder ?? null;
  if (now?.process !== holder.process) return unchanged();
  return commit({ type: 'released', at, data: holder });
}
