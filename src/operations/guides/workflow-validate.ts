// workflow_validate: does an output meet the criteria of its step?

import { inSlices } from '../../async/slices.ts';
import { openRuleBudget } from '../../core/rules/budget.ts';
import type { Criteria } from '../../core/rules.ts';
import { FLAG, listOf, TEXT } from '../../engine/answer-schema.ts';
import { guideFailure, invalidParam, stepNotFound } from '../../engine/guides/failures.ts';
import { findWalkable } from '../../engine/guides/find-guide.ts';
import { defineGuideOperation } from './define.ts';
import { context, id, optional, outputText, told } from './params.ts';

export const workflowValidate = defineGuideOperation({
  name: 'workflow_validate',
  description: "Check a step's output against its criteria before you go on.",
  params: {
    workflowId: told(id, "Guide's id"),
    stepId: told(id, 'Whose output it is'),
    output: told(outputText, 'Its text'),
    context: optional(context),
    outputName: optional(told(id, "Of a job's step")),
  },
  answer: { valid: FLAG, issues: listOf(TEXT), suggestions: listOf(TEXT) },
  async run({ workspace }, input) {
    const { workflowId, stepId } = input;
    const { criteria, criteriaAt } = await findWalkable(workspace, workflowId, {
      validating: stepId,
    });
    const outputs = criteria.get(stepId);
    if (outputs === undefined) throw stepNotFound(workflowId, stepId, [...criteria.keys()]);
    const { validateText } = await import('../../core/rules.ts');
    const chosen = choose(outputs, input.outputName);
    const verdict = await inSlices(
      validateText(chosen.criteria, input.output, input.context ?? {}, openRuleBudget()),
    );
    if (verdict.kind === 'interrupted') {
      const rule = `${criteriaAt(chosen.name)}${verdict.rule}`;
      throw guideFailure('guide_rule_unusable', {
        workflowId,
        stepId,
        rule,
        reason: verdict.reason,
      });
    }
    const { valid, issues, suggestions } = verdict;
    return { valid, issues, suggestions };
  },
});

/** A job's step may have several outputs with rules; then it must be said which is meant. */
function choose(
  outputs: ReadonlyMap<string, Criteria | null>,
  wanted: string | null,
): { readonly name: string; readonly criteria: Criteria | null } {
  if (wanted !== null) {
    if (!outputs.has(wanted)) throw invalidParam('outputName', 'is not an output of the step');
    return { name: wanted, criteria: outputs.get(wanted) ?? null };
  }
  const withRules = [...outputs].filter(([, criteria]) => criteria !== null);
  if (withRules.length > 1) {
    const names = withRules.map(([name]) => name).join(', ');
    throw invalidParam('outputName', `is required, one of: ${names}`);
  }
  const [name, criteria] = withRules[0] ?? ['', null];
  return { name, criteria };
}
