// The time that all rules of one call have together, over all of its files: many rules
// that each just end in time must not add up to minutes.

export interface RuleBudget {
  /** What is left. */
  milliseconds: number;
}

export const MAX_RULE_MILLISECONDS = 2000;

export function openRuleBudget(): RuleBudget {
  return { milliseconds: MAX_RULE_MILLISECONDS };
}
