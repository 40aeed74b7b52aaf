// Decides whether an agent that wants to stop is sent back to its open step. The number of reminders in
// a row is limited: an agent that submits nothing after several of them will not do so after the next
// one either, and each costs its user money. Then it may stop, and the run is shown as stalled.
//
// An accepted submission, going back and a takeover reset the count.

import { commit, unchanged } from '../decision.ts';
import type { SessionDecision } from './events.ts';
import type { Nudges, Session } from './state.ts';

export const NO_NUDGES: Nudges = { inRow: 0, total: 0, letGo: false };

/** Keeps only the total. */
export function resetNudges(nudges: Nudges): Nudges {
  const { inRow, total, letGo } = nudges;
  return inRow === 0 && !letGo ? nudges : { ...NO_NUDGES, total };
}

/** The agent of this session wants to stop: one more reminder, or it may. */
export function decideNudge(session: Session | null, at: string, max: number): SessionDecision {
  if (session === null || session.status !== 'active') return unchanged();
  const { inRow, letGo } = session.nudges;
  if (inRow < max) return commit({ type: 'nudged', at, data: { nth: inRow + 1 } });
  return letGo ? unchanged() : commit({ type: 'let_go', at, data: { nudges: inRow } });
}
