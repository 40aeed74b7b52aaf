// What a person does to a run from outside, and how its agent learns of it. The agent knows
// nothing of it when it makes its next call, which was meant for another step or another run:
// so that call has no effect and is answered with who did what, and why. `informed` is the event
// that says so; it is in the journal because the next call may come to another process.

import { commit, refused, unchanged } from '../decision.ts';
import { type Refusal, refuse } from '../refusal.ts';
import type { SessionDecision } from './events.ts';
import { openStepId } from './progress.ts';
import { noSuchSession } from './refusals.ts';
import type { Owner, Session, Steering, SteeringAct } from './state.ts';

/** Characters of a reason that a person gives. */
export const MAX_REASON = 4096;

/** Another run of the same stack was given up; this one is on top now. */
export function decideStackChanged(
  session: Session,
  command: { at: string; ended: string; person: string; reason: string },
): SessionDecision {
  if (session.status !== 'active') return refused(noSuchSession(session.id));
  const { at, ended, person, reason } = command;
  return commit({ type: 'stack_changed', at, data: { ended, person, reason } });
}

export function decideInformed(
  session: Session,
  command: { at: string; by: Owner },
): SessionDecision {
  if (session.status !== 'active') return refused(noSuchSession(session.id));
  if (!isToldNext(session)) return unchanged();
  const { owner } = session;
  const { at, by } = command;
  const isNew = by.identity !== owner.identity || by.process !== owner.process;
  return commit({ type: 'informed', at, data: isNew ? { by } : {} });
}

/** Whether the next call of the agent is answered with what a person did. */
export function isToldNext({ status, steering }: Session): boolean {
  return status === 'active' && steering !== null && steering.informed === null;
}

/** Oldest first. */
export function actsToTell(steering: Steering | null): readonly SteeringAct[] {
  if (steering === null) return [];
  const { before, informed: _informed, ...last } = steering;
  return [...before, last];
}

/** In words that name each person and reason. */
export function tellSteering(steering: Steering): string {
  return actsToTell(steering).map(tellAct).join('. ');
}

function tellAct({ person, reason, ended, step }: SteeringAct): string {
  return ended === null
    ? `${person} sent this run back to step '${step}': ${reason}`
    : `${person} aborted run ${ended}: ${reason}`;
}

/** The answer to a call that was made without knowing. */
export function steeredMeanwhile(session: Session, steering: Steering): Refusal {
  const step = openStepId(session);
  return refuse(
    'steered_by_person',
    `${tellSteering(steering)}. Nothing of this call was recorded.`,
    `go on with step '${step}' of session '${session.id}': get_active_workflow shows its instructions.`,
  );
}
