// Validates a text without pauses. Imported by tests only.

import type { Context } from '../../src/core/conditions.ts';
import type { Criteria, RulesResult } from '../../src/core/rules/model.ts';
import { openRuleBudget } from '../../src/core/rules/time-budget.ts';
import { validateText } from '../../src/core/rules/validate.ts';

export function validateAtOnce(
  criteria: Criteria | null,
  text: string,
  context: Context,
): RulesResult {
  const judging = validateText(criteria, text, context, openRuleBudget());
  for (;;) {
    const piece = judging.next();
    if (piece.done) return piece.value;
  }
}
