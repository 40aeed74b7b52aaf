// What a person does to a run, and how its agent is informed. The agent does not know of it when
// it makes its next call, which is meant for another step or another run. So that call has no
// effect, and its answer says who did what, and why. The event `informed` records that; the
// journal has it because the next call may reach another process.

import { commit, refused, unchanged } from '../decision.ts';
import { type Refusal, refuse } from '../refusal.ts';
import { actorIfNew } from './decide.ts';
import type { SessionDecision, SessionEvent } from './events.ts';
import { openStepId } from './progress.ts';
import { noSuchSession } from './refusals.ts';
import type { Owner, Session, Steering, SteeringAct } from './state.ts';

/** Characters of a person's reason. */
export const MAX_REASON_LENGTH = 4096;

/** Another run of the same stack was aborted; this one is now on top. */
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
  if (!mustInformAgent(session)) return unchanged();
  return commit({ type: 'informed', at: command.at, data: actorIfNew(session, command.by) });
}

/** Whether a person did it, and not the agent. */
export function isActOfPerson({ data }: SessionEvent): boolean {
  return 'person' in data && data.person !== undefined;
}

/** Whether the agent's next call is answered with what a person did. */
export function mustInformAgent({ status, steering }: Session): boolean {
  return status === 'active' && steering !== null && steering.informed === null;
}

/** Oldest first. */
export function actsOf(steering: Steering | null): readonly SteeringAct[] {
  if (steering === null) return [];
  const { before, informed: _informed, ...last } = steering;
  return [...before, last];
}

/** One sentence for each act, with the person and the reason. */
export function describeSteering(steering: Steering): string {
  return actsOf(steering).map(describeAct).join('. ');
}

function describeAct({ person, reason, ended, step }: SteeringAct): string {
  return ended === null
    ? `${person} sent this run back to step '${step}': ${reason}`
    : `${person} aborted run ${ended}: ${reason}`;
}

/** The answer to a call made before the agent was informed. */
export function steeredByPerson(session: Session, steering: Steering): Refusal {
  const step = openStepId(session);
  return refuse(
    'steered_by_person',
    `${describeSteering(steering)}. Nothing of this call was recorded.`,
    `continue with step '${step}' of session '${session.id}': get_active_workflow shows its instructions.`,
  );
}
