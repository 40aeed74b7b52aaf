// The readable view of a session: the JSON in `.deepwork/tmp/session_<id>.json`. Its field names
// are part of the contract; `revision` is the number of the last event it includes.
// `sessions/view-text.ts` makes its text.

import { byCompletion } from './progress.ts';
import { currentStepId, type Progress, type Session } from './state.ts';

/** All but `step_progress` and `history`, which grow. The revision comes first, to be found fast. */
export function viewFields(session: Session): Record<string, unknown> {
  return {
    session_id: session.id,
    revision: session.seq,
    job_name: session.jobName,
    workflow_name: session.workflowName,
    instance_id: session.instanceId,
    goal: session.goal,
    current_step_id: currentStepId(session),
    current_entry_index: session.position.entryIndex,
    started_at: session.startedAt,
    completed_at: session.endedAt,
    status: session.status,
    abort_reason: session.abortReason,
    ...(session.abortedBy !== null && { aborted_by: session.abortedBy }),
    agent: { owner: session.owner.identity, process: session.owner.process },
    parent_session_id: session.parentId,
    branch_name: session.branchName,
    job_dir: session.jobDir,
    context: session.context,
    ...(Object.keys(session.inputs).length > 0 && { inputs: session.inputs }),
    last_accepted: session.lastAccepted && {
      step_ids: session.lastAccepted.stepIds,
      outputs: session.lastAccepted.outputs,
      notes: session.lastAccepted.notes,
    },
  };
}

/** The revision of a view, from the first `REVISION_WITHIN` characters; null if it has none. */
export function revisionIn(start: string): number | null {
  const found = /^\{\n {2}"session_id": "[0-9a-f]{8}",\n {2}"revision": (\d+),/.exec(start);
  return found === null ? null : Number(found[1]);
}

export const REVISION_WITHIN = 100;

/** Completed steps, in order of completion. */
export function completedSteps(session: Session): Progress[] {
  return byCompletion(session).filter((step) => step.completedAt !== null);
}

/** Outputs of every completed step; a later step's output wins over an earlier one's. */
export function allOutputs(session: Session): Record<string, string | readonly string[]> {
  return Object.fromEntries(
    completedSteps(session).flatMap((step) =>
      Object.entries(step.outputs).map(([name, paths]) => [
        step.sharedNames.includes(name) ? `${step.stepId}.${name}` : name,
        paths,
      ]),
    ),
  );
}

/** A step as the view shows it. */
export function progressView(step: Progress): Record<string, unknown> {
  return {
    step_id: step.stepId,
    started_at: step.startedAt,
    completed_at: step.completedAt,
    outputs: step.outputs,
    notes: step.notes,
    ...(Object.keys(step.reports).length > 0 && { reports: step.reports }),
    quality_attempts: step.attempts + (step.pendingReview === null ? 0 : 1),
  };
}
