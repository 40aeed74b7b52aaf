// workflow_next: the next step of a guide, from what is done and what is known.

import { nextStep } from '../../core/guide.ts';
import { FLAG, listOf, OBJECT, orNull, TEXT } from '../../engine/answer-schema.ts';
import { stepNotFound } from '../../engine/guides/failures.ts';
import { findWalkable } from '../../engine/guides/find-guide.ts';
import { defineGuideOperation } from './define.ts';
import { context, id, optional, stepIds, told } from './params.ts';

export const workflowNext = defineGuideOperation({
  name: 'workflow_next',
  description: 'The next step of a guide, given the steps that are completed.',
  params: {
    workflowId: told(id, "Guide's id"),
    completedSteps: told(stepIds, 'Ids of the steps done'),
    currentStep: optional(told(id, 'Changes nothing')),
    context: optional(context),
  },
  answer: {
    step: orNull(OBJECT),
    guidance: OBJECT,
    isComplete: FLAG,
    warnings: listOf(TEXT),
    skippedSteps: listOf(OBJECT),
    missingContext: listOf(TEXT),
  },
  async run({ workspace }, input) {
    const { workflowId, currentStep } = input;
    const { steps } = await findWalkable(workspace, workflowId);
    const ids = steps.map((step) => step.id);
    if (currentStep !== null && !ids.includes(currentStep)) {
      throw stepNotFound(workflowId, currentStep, ids);
    }
    return nextStep(steps, input.completedSteps, input.context ?? {});
  },
});
