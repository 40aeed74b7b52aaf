// The message to an agent that wants to stop while a step is open: what is missing, and the legal
// moves. While checks or reviews run, it is told to wait for them. Later messages are shorter; the last one says what happens next.

import { openStepId } from '../core/session/progress.ts';
import { type RunningGate, type Session, workflowLabel } from '../core/session/state.ts';
import type { BeginStep } from '../engine/answer-types.ts';
import { expectedOutputs, nextCall } from './next-call.ts';

const MAX_FEEDBACK = 2000;

/** To an agent whose work is being judged. It is no reminder: the agent has done nothing wrong. */
export function writeWait(session: Session, { kind, stepIds }: RunningGate): string {
  const steps = `${stepIds.length === 1 ? 'step' : 'steps'} ${stepIds.map((id) => `'${id}'`).join(', ')}`;
  return `deepwork: the ${kind} of ${steps} of ${workOf(session)} still run. Change nothing. Call finished_step again with the same arguments: it waits for their result.`;
}

export function writeNudge(session: Session, begin: BeginStep, maxNudges: number): string {
  const step = `step '${openStepId(session)}' of ${workOf(session)}`;
  const { inRow } = session.nudges;
  const giveUp = `abort_workflow ${JSON.stringify({ session_id: session.id, explanation: '<why>' })}`;
  if (inRow > 1) {
    const last = inRow >= maxNudges;
    return [
      `deepwork: ${step} is still open. Nothing was accepted since you first tried to stop.`,
      `Either hand it in: ${nextCall(begin)}`,
      `or give it up on record: ${giveUp}`,
      last
        ? 'This is the last reminder: if you stop again, the run is shown to your user as stalled.'
        : 'Do not report this work as done.',
    ].join('\n');
  }
  const feedback = session.position.feedback?.slice(0, MAX_FEEDBACK);
  return [
    `deepwork: the work is not done. ${capital(step)} is open, and its goal is: ${session.goal.slice(0, 500)}`,
    'It ends when these outputs are accepted:',
    ...expectedOutputs(begin),
    ...(feedback === undefined ? [] : [`What was found last: ${feedback}`]),
    `Hand them in with: ${nextCall(begin)}`,
    `If an earlier step was wrong: go_to_step. If only your user can decide something: ask_user_question. If it cannot be done: ${giveUp}`,
    'get_active_workflow gives the instructions again.',
  ].join('\n');
}

function workOf(session: Session): string {
  return `${workflowLabel(session)} (session ${session.id})`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
