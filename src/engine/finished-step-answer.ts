// What finished_step answers: where the session went from the visit that the call was
// bound to. The same state gives the same answer, so a repeated call hears it again.

import type { Reason } from '../core/session/reason.ts';
import type { Session } from '../core/session/state.ts';
import { allOutputs } from '../core/session/view.ts';
import type { CriterionResult, FailedReview } from '../gate/verdict.ts';
import { type BeginStep, beginStep } from './begin-step.ts';
import type { Edition } from './definition-in-use.ts';

export interface FinishedStepAnswer {
  readonly status: 'needs_work' | 'next_step' | 'workflow_complete';
  /** What the caller has to do, in one word; null unless `needs_work`. */
  readonly reason: Reason | null;
  readonly feedback: string | null;
  readonly failed_reviews: readonly FailedReview[] | null;
  readonly failed_criteria: readonly CriterionResult[] | null;
  readonly begin_step: BeginStep | null;
  readonly summary: string | null;
  readonly all_outputs: ReturnType<typeof allOutputs> | null;
  readonly warnings: readonly string[];
}

export interface Outcome {
  readonly session: Session;
  /** Null when the session is over: there is no step to begin. */
  readonly edition: Edition | null;
  readonly visit: number;
  readonly failedReviews?: readonly FailedReview[];
  readonly failedCriteria?: readonly CriterionResult[];
  /** What was told with an earlier answer that is given again. */
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

export async function answerFor(outcome: Outcome): Promise<FinishedStepAnswer> {
  const { session, edition, visit, failedReviews = [], failedCriteria = [] } = outcome;
  const moved = session.status !== 'active' || session.position.visit !== visit;
  const warnings =
    outcome.warnings ?? (moved ? session.lastAccepted?.warnings : edition?.warnings) ?? [];
  if (session.status !== 'active' || edition === null) {
    return {
      status: 'workflow_complete',
      ...NOTHING,
      summary: `Workflow '${session.workflowName}' completed successfully!`,
      all_outputs: allOutputs(session),
      warnings,
    };
  }
  if (moved) {
    const begin_step = await beginStep(session, edition);
    return { status: 'next_step', ...NOTHING, begin_step, warnings };
  }
  const feedback = session.lastFeedback ?? 'This step is not complete yet.';
  return needsWork(feedback, {
    reason: session.lastReason ?? 'members_open',
    failed_reviews: failedReviews.length > 0 ? failedReviews : null,
    failed_criteria: failedCriteria.length > 0 ? failedCriteria : null,
    warnings,
  });
}

/** Without a reason of its own: other members of the entry are still to be submitted. */
export function needsWork(
  feedback: string,
  more: Partial<FinishedStepAnswer> = {},
): FinishedStepAnswer {
  return { status: 'needs_work', ...NOTHING, reason: 'members_open', feedback, ...more };
}
