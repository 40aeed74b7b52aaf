// Informs an agent of what a person did to its run; see `core/session/steering.ts`. Every tool
// that acts on a run asks here first, because its caller may not know of the change yet.

import { Refused } from '../core/refusal.ts';
import { ofExisting } from '../core/session/decide.ts';
import type { Session, Steering, SteeringAct } from '../core/session/state.ts';
import {
  actsOf,
  decideInformed,
  describeSteering,
  steeredByPerson,
} from '../core/session/steering.ts';
import { loadReadable } from '../sessions/load-readable.ts';
import type { CallContext } from './call-context.ts';

export interface News<Prepared = null> {
  /** The session after the agent was informed. */
  readonly session: Session;
  readonly steering: Steering;
  /** Who did what, and why. */
  readonly text: string;
  readonly prepared: Prepared;
}

/** What this call has to be answered with; null if there is nothing new. */
export function newsOf(context: CallContext, session: Session): Promise<News | null> {
  return preparedNewsOf(context, session, async () => null);
}

/** The agent counts as informed only if the answer could be prepared. */
export async function preparedNewsOf<Prepared>(
  context: CallContext,
  session: Session,
  prepare: (next: Session) => Promise<Prepared>,
): Promise<News<Prepared> | null> {
  const { steering, id } = session;
  if (session.status !== 'active' || steering === null) return null;
  const { workspace, owner, afterAnswer } = context;
  const { store, clock, lostAnswers } = workspace;
  const isLost =
    steering.informed !== null && (await lostAnswers.isLost({ id, ...steering.informed }));
  if (steering.informed !== null && !isLost) return null;
  const { session: now, prepared } = await store.commit(
    id,
    ofExisting(id, (current) => decideInformed(current, { at: clock(), by: owner })),
    prepare,
  );
  const { informed } = now.steering ?? {};
  if (informed) lostAnswers.expect({ id, ...informed }, afterAnswer);
  const known = await trueActs(context, steering);
  if (known === null) return null;
  return { session: now, steering: known, text: describeSteering(known), prepared };
}

/** The same for tools that can only refuse. */
export async function requireInformed(context: CallContext, session: Session): Promise<void> {
  const news = await newsOf(context, session);
  if (news !== null) throw new Refused(steeredByPerson(news.session, news.steering));
}

/** Without acts that did not happen; null if none is left. */
async function trueActs(context: CallContext, steering: Steering): Promise<Steering | null> {
  const acts: SteeringAct[] = [];
  for (const act of actsOf(steering)) if (await isTrue(context, act)) acts.push(act);
  const last = acts.pop();
  return last === undefined ? null : { ...last, before: acts, informed: steering.informed };
}

/** An act that ends another run is noted before it happens, and may then fail. */
async function isTrue({ workspace }: CallContext, act: SteeringAct): Promise<boolean> {
  if (act.ended === null) return true;
  const other = await loadReadable(workspace.store, act.ended);
  // If several people aborted it at once, only one of them succeeded.
  return other?.abortedBy === act.person && other.abortReason === act.reason;
}
