// Which session a `finished_step` call is about: the one that it names, the top of the caller's stack, or
// a session that has ended, if this call repeats the call that ended it.

import { inSlices } from '../../async/slices.ts';
import { openPatternBudget } from '../../core/pattern-budget.ts';
import { Refused } from '../../core/refusal.ts';
import { claimOf } from '../../core/session/ownership.ts';
import { readSubmission, type SubmissionReading } from '../../core/session/read-submission.ts';
import { acceptedAsBefore, type Call } from '../../core/session/repeats.ts';
import type { AcceptedCall, Owner, Session } from '../../core/session/state.ts';
import { loadReadable } from '../../sessions/load-readable.ts';
import type { CallContext } from '../call-context.ts';
import { type DefinitionInUse, definitionInUse } from '../definition-in-use.ts';
import { leadsTo } from '../entries/follow.ts';
import { callKey } from './background-runs.ts';

/** Taking a session over does not count: an answer from before may still be lost. */
function hasActedIn({ owner, lastAccepted, lastMove }: Session, { process }: Owner): boolean {
  if (owner.process !== process) return false;
  return lastAccepted?.process === process || lastMove?.process === process;
}

export interface FoundWork {
  readonly session: Session;
  /** The definition, and how the call reads by it; null when the session is over. */
  readonly open: { readonly inUse: DefinitionInUse; readonly submitted: SubmissionReading } | null;
}

/**
 * The session that a call is about. A client that lost our answer sends the same call again, and by
 * then the session may be complete: such a call is answered, not refused.
 */
export async function findWork(
  { workspace, owner }: CallContext,
  sessionId: string | null,
  call: Call,
  isOverlapping: boolean,
): Promise<FoundWork> {
  const { store, stacks, lostAnswers, running } = workspace;
  const found = await stacks.look(owner, sessionId).catch(orRepeated);
  if (found.status !== 'active') return { session: found, open: null };
  // A caller that lost the last answer does not know that its workflow is over, and would finish a
  // step of the one below. For nearly every call this is ruled out without reading the journal.
  const isClear = hasActedIn(found, owner) && !lostAnswers.mayMissEnd(owner) && running.isIdle();
  if (sessionId === null && (isOverlapping || !isClear)) {
    const over = await repeated(
      async (ended, accepted) =>
        (await leadsTo(workspace, ended, found.id)) &&
        (isOverlapping ||
          running.isUnanswered(callKey(ended.id, accepted.arrival, call)) ||
          (await lostAnswers.isLost({ id: ended.id, ...accepted }))),
    );
    if (over !== null) return { session: over, open: null };
  }
  const isOwn = found.owner.identity === owner.identity;
  const session = isOwn ? found : await stacks.claim(owner, found.id).catch(orRepeated);
  if (session.status !== 'active') return { session, open: null };
  // A broken definition throws here: it is still the work that the call is about.
  const inUse = await definitionInUse(workspace, session);
  const submitted = await inSlices(readSubmission(session, inUse, call, openPatternBudget()));
  if (sessionId === null && submitted.kind === 'refused') {
    // A session that ended before the current one began does not answer a call about this one.
    const over = await repeated((ended) => leadsTo(workspace, ended, session.id));
    if (over !== null) return { session: over, open: null };
  }
  return { session, open: { inUse, submitted } };

  /**
   * Without an active session, the call may repeat the last one of a session that has ended. If a
   * session was aborted since, it is more likely a call about that one, made before its agent knew.
   */
  async function orRepeated(error: unknown): Promise<Session> {
    if (!(error instanceof Refused)) throw error;
    const over = await repeated(
      (ended, accepted, abortedSince) =>
        !abortedSince || lostAnswers.isLost({ id: ended.id, ...accepted }),
    );
    if (over === null) throw error;
    return over;
  }

  async function repeated(
    fits: (
      session: Session,
      accepted: AcceptedCall,
      abortedSince: boolean,
    ) => boolean | Promise<boolean>,
  ): Promise<Session | null> {
    let abortedSince = false;
    for (const id of sessionId === null ? await store.endedFor(owner) : [sessionId]) {
      const session = await loadReadable(store, id);
      if (session?.status === 'aborted') abortedSince = true;
      const accepted = session?.status === 'completed' ? acceptedAsBefore(session, call) : null;
      if (session === null || accepted === null) continue;
      if (!(await fits(session, accepted, abortedSince))) continue;
      const claim = claimOf(
        owner,
        session.owner,
        workspace.processes.livenessOf(session.owner.process),
      );
      if (claim === 'own' || claim === 'open') return session;
      if (claim === 'by_id' && sessionId !== null) return session;
    }
    return null;
  }
}
