// What finished_step answers: where the session went from the arrival that the call was bound to.
// The same state gives the same answer, so a repeated call gets it again.

import { movementSince } from '../../core/session/positions.ts';
import type { Session } from '../../core/session/state.ts';
import { allOutputs } from '../../core/session/view.ts';
import type { CriterionResult } from '../../gate/criterion-result.ts';
import type { FailedReview } from '../../gate/verdict.ts';
import type { BeginStep, FinishedStepAnswer } from '../answer-types.ts';
import type { DefinitionInUse } from '../definition-in-use.ts';
import { beginStep } from './begin-step.ts';

export interface FinishedStepOutcome {
  readonly session: Session;
  /** Null when the session is over: there is no step to begin. */
  readonly inUse: DefinitionInUse | null;
  readonly arrival: number;
  readonly failedReviews?: readonly FailedReview[];
  readonly failedCriteria?: readonly CriterionResult[];
  /** The steps that the call handed in; left out if that does not matter. */
  readonly submitted?: readonly string[];
  /** The warnings of an earlier answer that is given again. */
  readonly warnings?: readonly string[];
}

const NOTHING: Omit<FinishedStepAnswer, 'status'> = {
  reason: null,
  feedback: null,
  failed_reviews: null,
  failed_criteria: null,
  begin_step: null,
  summary: null,
  all_outputs: null,
  warnings: [],
};

export async function answerFor(outcome: FinishedStepOutcome): Promise<FinishedStepAnswer> {
  const { session, inUse, arrival, failedReviews = [], failedCriteria = [] } = outcome;
  const wentTo = movementSince(session, arrival, outcome.submitted ?? []);
  const moved = wentTo !== 'stays';
  const warnings =
    outcome.warnings ?? (moved ? session.lastAccepted?.warnings : inUse?.warnings) ?? [];
  if (session.status !== 'active' || inUse === null) {
    return {
      status: 'workflow_complete',
      ...NOTHING,
      summary: summaryOf(session),
      all_outputs: allOutputs(session),
      warnings,
    };
  }
  if (moved) {
    const begin_step = await beginStep(session, inUse);
    return { status: 'next_step', ...NOTHING, feedback: wordsOf(session), begin_step, warnings };
  }
  const feedback = session.position.feedback ?? 'This step is not complete yet.';
  return needsWork(feedback, {
    reason: session.position.reason ?? 'members_open',
    failed_reviews: failedReviews.length > 0 ? failedReviews : null,
    failed_criteria: failedCriteria.length > 0 ? failedCriteria : null,
    warnings,
  });
}

function summaryOf({ workflowName, afterword }: Session): string {
  const done = `Workflow '${workflowName}' completed successfully!`;
  return afterword === null ? done : `${done}\n\n${afterword}`;
}

/** What a person said with the move. Feedback with a reason is the gate's, about a later call. */
function wordsOf({ position: { feedback, reason } }: Session): string | null {
  return reason === null ? feedback : null;
}

/** The step to do now, for a caller that needs to know why it is that one. */
export function nextStepAnswer(
  begin_step: BeginStep,
  feedback: string,
  warnings: readonly string[],
): FinishedStepAnswer {
  return { status: 'next_step', ...NOTHING, feedback, begin_step, warnings };
}

/** The default reason: other members of the entry have not been submitted yet. */
export function needsWork(
  feedback: string,
  more: Partial<FinishedStepAnswer> = {},
): FinishedStepAnswer {
  return { status: 'needs_work', ...NOTHING, reason: 'members_open', feedback, ...more };
}
