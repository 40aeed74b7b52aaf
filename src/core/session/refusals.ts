// The refusals of a session. Their wording is part of the contract, so they are all in one place.

import { type Refusal, refuse } from '../refusal.ts';
import { shown } from '../wording.ts';
import { namesOf, type Workflow } from '../workflow.ts';
import { itemId } from './for-each.ts';
import { openStepId } from './progress.ts';
import { currentStepId, type Session } from './state.ts';

/** `why` is a sentence about the session, if anything is known about it. */
export function noSuchSession(id: string, why: string | null = null): Refusal {
  const next = 'call get_active_workflow to see your sessions, or start_workflow to begin one.';
  return refuse(
    'session_not_found',
    `Session '${shown(id)}' not found in active stack`,
    why === null ? next : `${why} ${next[0]?.toUpperCase()}${next.slice(1)}`,
  );
}

export function stepIsPast(session: Session, stepId: string): Refusal {
  return refuse(
    'step_not_current',
    `Step '${shown(stepId)}' is no longer the current step of session '${session.id}'`,
    whatIsCurrent(session),
  );
}

/** Another owner took the session over during this call. */
export function takenOver({ id, owner }: Session): Refusal {
  const by = owner.agent === undefined ? 'another client' : `agent '${shown(owner.agent)}'`;
  return refuse(
    'session_taken_over',
    `Session '${id}' was taken over by ${by} during this call: nothing of the call was accepted`,
    'call get_active_workflow to see what is yours now, or start_workflow to begin again.',
  );
}

export function stepIsAhead(session: Session, stepId: string): Refusal {
  return refuse(
    'step_not_current',
    `Step '${shown(stepId)}' is not yet the current step of session '${session.id}'`,
    whatIsCurrent(session),
  );
}

/** `items`: the step of the current list, if an item was meant, and how many items it has. */
export function noSuchStep(
  workflow: Workflow,
  stepId: string,
  items: { readonly stepId: string; readonly of: number } | null = null,
): Refusal {
  return refuse(
    'step_not_found',
    `Step '${shown(stepId)}' not found in workflow '${workflow.name}'. Available steps: ${workflow.entries.flatMap(namesOf).join(', ')}`,
    items === null ? 'use one of the available steps.' : itemsToUse(items.stepId, items.of),
  );
}

function itemsToUse(stepId: string, of: number): string {
  const first = itemId(stepId, 1);
  if (of === 1) return `there is 1 item: use ${first}.`;
  const between = of === 2 ? 'or' : 'to';
  return `there are ${of} items: use ${first} ${between} ${itemId(stepId, of)}.`;
}

export function noForwardJump(session: Session, stepId: string): Refusal {
  return refuse(
    'step_ahead',
    `Cannot go forward to step '${shown(stepId)}' (current step: '${currentStepId(session)}'). Use finished_step to advance forward.`,
    whatIsCurrent(session),
  );
}

/** For a list that has become empty. */
export function nothingToGoBackTo(session: Session, stepId: string): Refusal {
  return refuse(
    'step_empty',
    `There is nothing to do at '${shown(stepId)}': it has no items`,
    whatIsCurrent(session),
  );
}

/** Nothing is committed, so the same call can be repeated. */
export function cannotTell(loop: string, why: string): Refusal {
  return refuse(
    'loop_undecided',
    `Loop '${loop}': cannot tell whether it is done: ${why}`,
    'fix the cause and make the same call again: no pass is used up.',
  );
}

/** For an entry that waits for a person or a nested session. */
export function notHandedIn(session: Session): Refusal {
  return refuse(
    'nothing_to_hand_in',
    `Nothing can be submitted at '${currentStepId(session)}'`,
    'call finished_step with outputs {} to wait.',
  );
}

export const REJECTED = 'approval_rejected';

/** For a rejection after which the session stays. */
export function rejectedHere(name: string, words: string | null): Refusal {
  return refuse(
    REJECTED,
    `Rejected: ${words ?? NO_WORDS}`,
    `change what '${name}' shows and call finished_step again: a person is asked about the new files. Or call go_to_step with an earlier step, or abort_workflow.`,
  );
}

const NO_WORDS = 'no reason was given';

/** The session that a `run` started was aborted. */
export function nestedRunAborted(name: string, reason: string): Refusal {
  return refuse(
    'run_aborted',
    `What '${name}' ran was aborted: ${shown(reason)}`,
    `call go_to_step with step '${name}' to start it again, or with an earlier step, or abort_workflow.`,
  );
}

/** The session that a `run` started is not complete yet. */
export function runIsOpen(name: string, sessionId: string): Refusal {
  return refuse(
    'run_open',
    `'${name}' is complete when session '${sessionId}' is`,
    `continue session '${sessionId}': get_active_workflow shows its step.`,
  );
}

/** The current step is no longer in the guide, or the guide is gone. */
export function guideStepGone(session: Session): Refusal {
  const [workflowId, stepId] = [session.jobName, currentStepId(session)];
  const next = `put step '${stepId}' back into guide '${workflowId}', or call go_to_step with an earlier step, or abort_workflow.`;
  return { ...refuse('guide_step_gone', 'State error', next), data: { workflowId, stepId } };
}

/** The same for a job's workflow. */
export function jobStepGone(session: Session): Refusal {
  return refuse(
    'step_not_found',
    `Current step not found: ${currentStepId(session)}`,
    `put the step back into workflow '${session.workflowName}' of ${session.jobDir}/job.yml, or call go_to_step with an earlier step, or abort_workflow.`,
  );
}

export function nothingToRun(workflow: Workflow): Refusal {
  return refuse(
    'workflow_empty',
    `Workflow '${workflow.name}' has no steps`,
    workflow.entries.length === 0
      ? 'add steps to it in job.yml, or start another workflow.'
      : 'start another workflow, or give a context under which a step of this one applies.',
  );
}

function whatIsCurrent(session: Session): string {
  const { status, steering } = session;
  if (status !== 'active')
    return `${howItEnded(session)}; call get_active_workflow to see what is active.`;
  const steered =
    steering === null || steering.ended !== null ? '' : `${session.position.feedback}. Now `;
  return `${steered}do step '${openStepId(session)}' and call finished_step, or call get_active_workflow to see it.`;
}

/** `the session is completed`, or who aborted it and why. */
function howItEnded({ status, abortedBy, abortReason }: Session): string {
  if (abortedBy !== null) return describeAbort(abortedBy, abortReason);
  return `the session is ${status}${abortReason === null ? '' : `: ${abortReason}`}`;
}

/** Names the person, because the agent did not do it. */
export function describeAbort(person: string, reason: string | null): string {
  return `${person} aborted it: ${reason}`;
}
