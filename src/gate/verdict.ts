// The gate's verdict on a submission, with the field names that answers use.

import type { AcceptedMember, Evidence, FailedMember } from '../core/session/events.ts';
import type { Json } from '../core/session/state.ts';
import type { CriterionResult } from './criterion-result.ts';
import type { GateMember } from './request.ts';

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
  /** What ran for this submission, with its results. */
  readonly evidence: readonly Evidence[];
  /** Steps whose reviews gave no verdict, and the reasons. */
  readonly voided: readonly string[];
  readonly faults: readonly string[];
  /** Set if a person allowed reviews to be skipped; called once that is recorded. */
  readonly overrideUsed?: () => Promise<void>;
  readonly failedReviews: readonly FailedReview[];
  readonly failedCriteria: readonly CriterionResult[];
}

export function failure(
  member: GateMember,
  stage: FailedMember['stage'],
  feedback: string,
  details: readonly object[],
): FailedMember {
  return {
    step_id: member.step.id,
    stage,
    feedback,
    files: member.files,
    details: details.map((detail) => ({ ...detail }) as Json),
  };
}

/** The results in one line, each with its feedback. */
export function describeResults(results: readonly CriterionResult[]): string {
  return results
    .map(({ criterion, feedback }) =>
      feedback === null ? criterion : `${criterion} (${feedback})`,
    )
    .join('; ');
}
