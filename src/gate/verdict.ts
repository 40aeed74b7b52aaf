// What the gate says about a submission, in the words that answers use.

import type { AcceptedMember, Evidence, FailedMember, Json } from '../core/session/state.ts';
import type { GateMember } from './request.ts';

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
  /** What ran for this submission and what it said. */
  readonly evidence: readonly Evidence[];
  /** Members whose review gave no verdict, and the reasons. */
  readonly voided: readonly string[];
  readonly faults: readonly string[];
  /** A person let reviews be skipped; to be called once it is on record. */
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

/** Results in one line, each with what is known of it. */
export function tellResults(results: readonly CriterionResult[]): string {
  return results
    .map(({ criterion, feedback }) =>
      feedback === null ? criterion : `${criterion} (${feedback})`,
    )
    .join('; ');
}
