// The result for one criterion of a review, a rule or a check.

export interface CriterionResult {
  /** The criterion's text, a rule's message, or a check's name. */
  readonly criterion: string;
  readonly passed: boolean;
  readonly feedback: string | null;
}

export function failedCriterion(criterion: string, feedback: string | null): CriterionResult {
  return { criterion, passed: false, feedback };
}
