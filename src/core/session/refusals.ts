// The sentences with which a session says no. They are promised to callers word for
// word, so they stand together here.

import { type Refusal, refuse } from '../refusal.ts';
import { shown } from '../wording.ts';
import type { Workflow } from '../workflow.ts';
import { stepIdsOf } from './positions.ts';
import { currentStepId, openStepId, type Session } from './state.ts';

/** `why` is a sentence about the session, where something is known of it. */
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

export function stepIsAhead(session: Session, stepId: string): Refusal {
  return refuse(
    'step_not_current',
    `Step '${shown(stepId)}' is not yet the current step of session '${session.id}'`,
    whatIsCurrent(session),
  );
}

export function noSuchStep(workflow: Workflow, stepId: string): Refusal {
  return refuse(
    'step_not_found',
    `Step '${shown(stepId)}' not found in workflow '${workflow.name}'. Available steps: ${stepIdsOf(workflow).join(', ')}`,
    'use one of the available steps.',
  );
}

export function noForwardJump(session: Session, stepId: string): Refusal {
  return refuse(
    'step_ahead',
    `Cannot go forward to step '${shown(stepId)}' (current step: '${currentStepId(session)}'). Use finished_step to advance forward.`,
    whatIsCurrent(session),
  );
}

export function currentStepGone(session: Session): Refusal {
  if (session.kind === 'guide') {
    const [workflowId, stepId] = [session.jobName, currentStepId(session)];
    const next = `put step '${stepId}' back into guide '${workflowId}', or call go_to_step with an earlier step, or abort_workflow.`;
    return { code: 'guide_step_gone', message: 'State error', next, data: { workflowId, stepId } };
  }
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
    'start another workflow, or give a context under which a step of this one applies.',
  );
}

function whatIsCurrent(session: Session): string {
  return session.status === 'active'
    ? `do step '${openStepId(session)}' and call finished_step, or call get_active_workflow to see it.`
    : `the session is ${session.status}; call get_active_workflow to see what is active.`;
}
