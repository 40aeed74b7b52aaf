// workflow_validate: does an output meet the criteria of its step?

import { inSlices } from '../../async/slices.ts';
import { openRuleBudget } from '../../core/rules/time-budget.ts';
import type { Output } from '../../core/workflow.ts';
import { pointerTo } from '../../definitions/source/node.ts';
import { guideFailure, stepNotFound } from '../../engine/guides/failures.ts';
import { findTextWorkflow } from '../../engine/guides/find-guide.ts';
import { FLAG, object, TEXTS } from '../answer-schema.ts';
import { contextParameter } from '../parameters.ts';
import { defineGuideTool, params } from './define.ts';
import { invalidParam } from './failures.ts';
import { idParameter, optionalId, outputText } from './parameters.ts';

interface Validated {
  readonly valid: boolean;
  readonly issues: readonly string[];
  readonly suggestions: readonly string[];
}

export const workflowValidate = defineGuideTool({
  name: 'workflow_validate',
  description: "Check a step's output against its criteria.",
  input: params({
    workflowId: idParameter("Guide's id"),
    stepId: idParameter('Whose output it is'),
    output: outputText('Its text'),
    context: contextParameter(),
    outputName: optionalId("Of a job's step"),
  }),
  answer: object<Validated>({ valid: FLAG, issues: TEXTS, suggestions: TEXTS }),
  async run({ workspace }, input): Promise<Validated> {
    const { workflowId, stepId } = input;
    const { steps } = await findTextWorkflow(workspace, workflowId, { validating: stepId });
    const step = steps.find(({ id }) => id === stepId);
    if (step === undefined) {
      const ids = steps.map(({ id }) => id);
      throw stepNotFound(workflowId, stepId, ids);
    }
    const { validateText } = await import('../../core/rules.ts');
    const output = choose(step.outputs, input.outputName ?? null);
    const verdict = await inSlices(
      validateText(output?.rules ?? null, input.output, input.context ?? {}, openRuleBudget()),
    );
    if (verdict.kind === 'interrupted') {
      const { reason } = verdict;
      const rule = `${output === null ? '' : rulesAt(output)}${verdict.rule}`;
      throw guideFailure('guide_rule_unusable', { workflowId, stepId, rule, reason });
    }
    const { valid, issues, suggestions } = verdict;
    return { valid, issues, suggestions };
  },
});

/** A job's step may have several outputs with rules; then the call has to name one. */
function choose(outputs: readonly Output[], wanted: string | null): Output | null {
  if (wanted !== null) {
    const named = outputs.find(({ name }) => name === wanted);
    if (named === undefined) throw invalidParam('outputName', 'is not an output of the step');
    return named;
  }
  const withRules = outputs.filter(({ rules }) => rules !== null);
  if (withRules.length > 1) {
    const names = withRules.map(({ name }) => name).join(', ');
    throw invalidParam('outputName', `is required, one of: ${names}`);
  }
  return withRules[0] ?? null;
}

/** JSON Pointer, from its step, to the rules of an output. */
function rulesAt({ name, validation }: Output): string {
  return validation?.rulesAt ?? pointerTo(['outputs', name, 'rules']);
}
