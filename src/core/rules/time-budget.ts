// The time budget for all rules of one call, over all of its files: many rules that each just
// finish in time must not add up to minutes.

export interface RuleBudget {
  /** What is left. */
  milliseconds: number;
}

export const MAX_RULE_MILLISECONDS = 2000;

export function openRuleBudget(): RuleBudget {
  return { milliseconds: MAX_RULE_MILLISECONDS };
}
