// What the gate says about a submission, in the words that answers use.

import type { AcceptedMember, FailedMember } from '../core/session/state.ts';

export interface CriterionResult {
  /** The criterion's text, a rule's message, or a check's name. */
  readonly criterion: string;
  readonly passed: boolean;
  readonly feedback: string | null;
}

export interface FailedReview {
  readonly review_run_each: string;
  readonly target_file: string | null;
  readonly passed: boolean;
  readonly feedback: string;
  readonly criteria_results: readonly CriterionResult[];
}

export interface Verdict {
  readonly accepted: readonly AcceptedMember[];
  readonly failed: readonly FailedMember[];
  readonly failedReviews: readonly FailedReview[];
  readonly failedCriteria: readonly CriterionResult[];
}
