// A reviewer's answer: its schema and its interpretation. If a reviewer contradicts itself,
// the stricter reading counts.

import { isRecord } from '../../core/is-record.ts';
import type { Criterion } from '../../core/workflow.ts';
import type { CriterionResult } from '../criterion-result.ts';

export interface ReviewAnswer {
  readonly passed: boolean;
  readonly feedback: string;
  readonly results: readonly CriterionResult[];
}

/** The schema that `claude` has to follow. */
export const ANSWER_SCHEMA = {
  type: 'object',
  properties: {
    passed: { type: 'boolean' },
    feedback: { type: 'string' },
    criteria_results: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          criterion: { type: 'string' },
          passed: { type: 'boolean' },
          feedback: { type: ['string', 'null'] },
        },
        required: ['criterion', 'passed'],
      },
    },
  },
  required: ['passed', 'feedback', 'criteria_results'],
};

/** Feedback for a criterion the reviewer skipped; the outputs are not at fault. */
export const NO_VERDICT = 'The reviewer gave no verdict on this.';

/** Null if the value is not an answer at all. */
export function readAnswer(value: unknown, criteria: readonly Criterion[]): ReviewAnswer | null {
  if (!isRecord(value) || typeof value.passed !== 'boolean') return null;
  const feedback = value.feedback ?? '';
  if (typeof feedback !== 'string') return null;
  const given = value.criteria_results ?? null;
  if (given === null) return { passed: value.passed, feedback, results: [] };
  if (!Array.isArray(given)) return null;
  const results: CriterionResult[] = [];
  for (const each of given) {
    if (!isRecord(each)) return null;
    const { criterion, passed, feedback: said = null } = each;
    if (typeof criterion !== 'string' || typeof passed !== 'boolean') return null;
    if (said !== null && typeof said !== 'string') return null;
    results.push({ criterion, passed, feedback: said });
  }
  const judged = criteria.map((criterion) => verdictOn(criterion, results));
  const failed = judged.filter((result) => !result.passed);
  return {
    passed: value.passed && failed.length === 0,
    // "ok" next to a failed criterion does not say what to fix.
    feedback:
      value.passed || feedback.trim() === ''
        ? failed.map(explain).join('; ') || feedback
        : feedback,
    results: judged,
  };
}

/** A criterion is matched by name or text; if it is judged twice, the worse verdict counts. */
function verdictOn(
  { name, text }: Criterion,
  results: readonly CriterionResult[],
): CriterionResult {
  const said = results.filter(({ criterion }) => criterion === name || criterion === text);
  const worst = said.find(({ passed }) => !passed) ?? said[0];
  if (worst === undefined) {
    return { criterion: name, passed: false, feedback: NO_VERDICT };
  }
  return { ...worst, criterion: name };
}

function explain({ criterion, feedback }: CriterionResult): string {
  return feedback ? `${criterion}: ${feedback}` : criterion;
}
