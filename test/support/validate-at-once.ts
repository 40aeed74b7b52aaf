// Validates a text without pauses. Imported by tests only.

import type { Context } from '../../src/core/conditions.ts';
import type { Criteria, RulesResult } from '../../src/core/rules/model.ts';
import { openRuleBudget } from '../../src/core/rules/time-budget.ts';
import { validateText } from '../../src/core/rules/validate.ts';
import { atOnce } from './at-once.ts';

export function validateAtOnce(
  criteria: Criteria | null,
  text: string,
  context: Context,
): RulesResult {
  return atOnce(validateText(criteria, text, context, openRuleBudget()));
}
