// Slow work for a session, which ends as soon as the session leaves its arrival: it was aborted, sent
// back, or moved on by another call. Whichever process moves it, its stream shows it.

import { inNewCall } from '../../async/call-scope.ts';
import { Refused } from '../../core/refusal.ts';
import { isPast } from '../../core/session/late-calls.ts';
import { stepIsPast } from '../../core/session/refusals.ts';
import type { Session } from '../../core/session/state.ts';
import { SESSION_STREAMS } from '../../core/session/streams.ts';
import type { Journal } from '../../journal/journal.ts';
import type { SessionStore } from '../../sessions/store.ts';

/** The session has left the arrival that the work was for. */
export class MovedMeanwhile extends Refused {}

/** `stepId`: what the work is about. Nothing in `work` may move the session itself. */
export async function whileHere<T>(
  { journal, store }: { readonly journal: Journal; readonly store: SessionStore },
  { id, position }: Session,
  stepId: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const moved = new AbortController();
  const look = async () => {
    const now = await inNewCall(() => store.load(id));
    if (now !== null && isPast(now, position.arrival)) {
      moved.abort(new MovedMeanwhile(stepIsPast(now, stepId)));
    }
  };
  // If the session cannot be read now, the work goes on: its outcome is decided on the session.
  const changed = () => void look().catch(() => {});
  const unwatch = journal.watch(SESSION_STREAMS + id, changed);
  // It may have moved before it was watched.
  changed();
  try {
    return await work(AbortSignal.any([signal, moved.signal]));
  } finally {
    unwatch();
    // What moved it last may not have been reported yet.
    await look().catch(() => {});
    moved.signal.throwIfAborted();
  }
}
