// Calls whose arrival is over: the session has moved on or ended while they were being judged or were
// waiting. They change nothing. One that repeats the accepted call is answered as that one was.

import { refused, unchanged } from '../decision.ts';
import type { SessionDecision } from './events.ts';
import { stepIsPast } from './refusals.ts';
import { type Call, isRepeat } from './repeats.ts';
import type { Session } from './state.ts';

/** Whether the session has ended, or has left the arrival. */
export function isPast({ status, position }: Session, arrival: number): boolean {
  return status !== 'active' || position.arrival !== arrival;
}

/** For a call whose arrival is over. `name`: what it was about. */
export function decideLate(
  session: Session,
  { arrival, call }: { readonly arrival: number; readonly call: Call },
  name: string,
): SessionDecision {
  const sameCall = session.lastAccepted?.arrival === arrival && isRepeat(session, call);
  if (sameCall && session.status !== 'aborted') return unchanged();
  return refused(stepIsPast(session, name));
}
