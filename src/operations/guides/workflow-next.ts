// workflow_next: the next step of a guide, from the completed steps and the context.

import { nextStep } from '../../core/guide-next-step.ts';
import { stepNotFound } from '../../engine/guides/failures.ts';
import { findTextWorkflow } from '../../engine/guides/find-guide.ts';
import { FLAG, listOf, OBJECT, object, orNull, TEXT } from '../answer-schema.ts';
import { contextParameter } from '../parameters.ts';
import { defineGuideTool, params } from './define.ts';
import { idParameter, optionalId, stepIds } from './parameters.ts';

export const workflowNext = defineGuideTool({
  name: 'workflow_next',
  description: 'The next step of a guide.',
  input: params({
    workflowId: idParameter("Guide's id"),
    completedSteps: stepIds('Ids of steps done'),
    currentStep: optionalId('Changes nothing'),
    context: contextParameter(),
  }),
  ifMissing: { completedSteps: 'give [] if nothing is done yet.' },
  answer: {
    step: orNull(object({ id: TEXT })),
    guidance: object({
      prompt: TEXT,
      requiresConfirmation: FLAG,
      validationCriteria: listOf(TEXT),
    }),
    isComplete: FLAG,
    warnings: listOf(TEXT),
    skippedSteps: listOf(OBJECT),
    missingContext: listOf(TEXT),
  },
  async run({ workspace }, input) {
    const { workflowId, currentStep = null } = input;
    const { steps, definition } = await findTextWorkflow(workspace, workflowId);
    const ids = steps.map((step) => step.id);
    if (currentStep !== null && !ids.includes(currentStep)) {
      throw stepNotFound(workflowId, currentStep, ids);
    }
    const next = nextStep(steps, input.completedSteps, input.context ?? {});
    return { ...next, step: next.step && shown(definition.steps[steps.indexOf(next.step)]) };
  },
});

const SHOWN_KEYS = ['id', 'title', 'prompt', 'askForFiles', 'requireConfirmation', 'runCondition'];

/** The part of a step's definition that is shown, as written. */
function shown(written: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const names = SHOWN_KEYS.filter((name) => Object.hasOwn(written, name));
  return Object.fromEntries(names.map((name) => [name, written[name]]));
}
