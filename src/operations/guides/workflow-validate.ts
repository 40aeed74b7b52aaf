// workflow_validate: does an output meet the criteria of its step?

import type { Criteria } from '../../core/rules.ts';
import { defineGuideOperation } from './define.ts';
import { guideFailure, invalidParam, stepNotFound } from './failures.ts';
import { findWalkable } from './find-guide.ts';
import { context, id, optional, outputText } from './params.ts';

export const workflowValidate = defineGuideOperation({
  name: 'workflow_validate',
  description: "Check a step's output against its criteria before you go on.",
  params: {
    workflowId: id,
    stepId: id,
    output: outputText,
    context: optional(context),
    outputName: optional(id),
  },
  answer: ['valid', 'issues', 'suggestions'],
  async run({ workspace }, input) {
    const { workflowId, stepId } = input;
    const { criteria } = await findWalkable(workspace, workflowId, { validating: stepId });
    const outputs = criteria.get(stepId);
    if (outputs === undefined) throw stepNotFound(workflowId, stepId);
    const { validateText } = await import('../../core/rules.ts');
    const verdict = validateText(
      choose(outputs, input.outputName),
      input.output,
      input.context ?? {},
    );
    if (verdict.kind === 'interrupted') {
      const rule = `/validationCriteria${verdict.rule}`;
      throw guideFailure(-32004, { workflowId, stepId, rule, reason: verdict.reason });
    }
    const { valid, issues, suggestions } = verdict;
    return { valid, issues, suggestions };
  },
});

/** A job's step may have several outputs with rules; then it must be said which is meant. */
function choose(
  outputs: ReadonlyMap<string, Criteria | null>,
  name: string | null,
): Criteria | null {
  if (name !== null) {
    if (!outputs.has(name)) throw invalidParam('outputName', 'is not an output of the step');
    return outputs.get(name) ?? null;
  }
  const withRules = [...outputs.values()].filter((each) => each !== null);
  if (withRules.length > 1) {
    throw invalidParam('outputName', `is required, one of: ${[...outputs.keys()].join(', ')}`);
  }
  return withRules[0] ?? null;
}
