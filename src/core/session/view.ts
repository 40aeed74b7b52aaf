// A session as people read it: the JSON in `.deepwork/tmp/session_<id>.json`. Its
// field names are promised; `revision` says which event of the journal it shows.

import { historyItems } from './history.ts';
import { currentStepId, type Progress, type Session } from './state.ts';

export function viewOf(session: Session): Record<string, unknown> {
  return {
    session_id: session.id,
    job_name: session.jobName,
    workflow_name: session.workflowName,
    instance_id: session.instanceId,
    goal: session.goal,
    current_step_id: currentStepId(session),
    current_entry_index: session.position.entryIndex,
    step_progress: Object.fromEntries(
      Object.entries(session.progress).map(([id, step]) => [id, progressView(step)]),
    ),
    started_at: session.startedAt,
    completed_at: session.endedAt,
    status: session.status,
    abort_reason: session.abortReason,
    revision: session.seq,
    agent: { owner: session.owner.identity, process: session.owner.process },
    parent_session_id: session.parentId,
    branch_name: session.branchName,
    job_dir: session.jobDir,
    context: session.context,
    last_accepted: session.lastAccepted && {
      step_ids: session.lastAccepted.stepIds,
      outputs: session.lastAccepted.outputs,
      notes: session.lastAccepted.notes,
    },
    history: historyItems(session.history),
  };
}

/** Completed steps, in order of completion. */
export function completedSteps(session: Session): Progress[] {
  return Object.values(session.progress)
    .filter((step) => step.completedAt !== null)
    .sort((a, b) => a.completedSeq - b.completedSeq);
}

/**
 * Outputs of every completed step; a later step's output wins over an earlier one's. Every
 * step of a guide calls its output the same, so there the step is always part of the name.
 */
export function allOutputs(session: Session): Record<string, string | readonly string[]> {
  const isGuide = session.kind === 'guide';
  return Object.fromEntries(
    completedSteps(session).flatMap((step) =>
      Object.entries(step.outputs).map(([name, paths]) => [
        isGuide || step.sharedNames.includes(name) ? `${step.stepId}.${name}` : name,
        paths,
      ]),
    ),
  );
}

function progressView(step: Progress): Record<string, unknown> {
  return {
    step_id: step.stepId,
    started_at: step.startedAt,
    completed_at: step.completedAt,
    outputs: step.outputs,
    notes: step.notes,
    quality_attempts: step.attempts + (step.pendingReview === null ? 0 : 1),
  };
}
