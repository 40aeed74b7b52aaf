// Which unattended run holds the project's own checkout. Two runs in one folder would undo each
// other's work, so only one at a time may hold it. A holder whose process is gone holds nothing.

import { commit, type Decision, refused, unchanged } from '../decision.ts';
import type { EventsOf } from '../event.ts';
import { refuse } from '../refusal.ts';
import type { Liveness } from '../session/ownership.ts';

export interface Holder {
  readonly run: string;
  readonly process: string;
}

export type CheckoutEvent = EventsOf<{ readonly taken: Holder; readonly released: Holder }>;

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
  const current = checkout?.holder ?? null;
  const isOther = current !== null && current.process !== holder.process;
  if (isOther && livenessOf(current.process) !== 'gone') {
    return refused(
      refuse(
        'checkout_taken',
        `Run ${current.run} is working in this checkout`,
        `wait until it ends, stop it (deepwork stop ${current.run}), or start this one in its own folder with --worktree.`,
        { run: current.run },
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
  if (checkout?.holder?.process !== holder.process) return unchanged();
  return commit({ type: 'released', at, data: holder });
}
