// Sending an agent back to its open step when it wants to stop. Only so often in a row: an agent
// that hands in nothing after several reminders will not do so after the next one either, and
// each costs its user money. Then it is let go, and the run shows as stalled.
//
// A submission of which something was accepted, going back and a takeover start the count anew.

import { commit, unchanged } from '../decision.ts';
import type { SessionDecision } from './events.ts';
import type { Nudges, Session } from './state.ts';

export const NO_NUDGES: Nudges = { inRow: 0, total: 0, letGo: false };

/** Work went on: what was said before no longer counts. */
export function nudgesForgotten(nudges: Nudges): Nudges {
  const { inRow, total, letGo } = nudges;
  return inRow === 0 && !letGo ? nudges : { ...NO_NUDGES, total };
}

/** The agent of this session wants to stop: one more reminder, or it is let go. */
export function decideNudge(session: Session | null, at: string, max: number): SessionDecision {
  if (session === null || session.status !== 'active') return unchanged();
  const { inRow, letGo } = session.nudges;
  if (inRow < max) return commit({ type: 'nudged', at, data: { nth: inRow + 1 } });
  return letGo ? unchanged() : commit({ type: 'let_go', at, data: { nudges: inRow } });
}
