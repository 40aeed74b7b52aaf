// Judges a text without a pause. Imported by tests only.

import type { Context } from '../conditions.ts';
import { openRuleBudget } from './budget.ts';
import type { Criteria, Verdict } from './model.ts';
import { validateText } from './validate.ts';

export function validateAtOnce(criteria: Criteria | null, text: string, context: Context): Verdict {
  const judging = validateText(criteria, text, context, openRuleBudget());
  for (;;) {
    const piece = judging.next();
    if (piece.done) return piece.value;
  }
}
