// workflow_next: the next step of a guide, from the completed steps and the context.

import { nextStep } from '../../core/guide-next-step.ts';
import type { WrittenStep } from '../../definitions/guides/guide-model.ts';
import { stepNotFound } from '../../engine/guides/failures.ts';
import { findTextWorkflow } from '../../engine/guides/find-guide.ts';
import {
  FLAG,
  listOf,
  type Members,
  OBJECT,
  object,
  optionalMember,
  orNull,
  TEXT,
  TEXTS,
} from '../answer-schema.ts';
import { contextParameter } from '../parameters.ts';
import { defineGuideTool, params } from './define.ts';
import { idParameter, optionalId, stepIds } from './parameters.ts';

type ShownStep = Pick<
  WrittenStep,
  'id' | 'title' | 'prompt' | 'askForFiles' | 'requireConfirmation' | 'runCondition'
>;

/** The part of a step's definition that is shown, as written. */
export const SHOWN_STEP: Members<ShownStep> = {
  id: TEXT,
  title: TEXT,
  prompt: TEXT,
  askForFiles: optionalMember(FLAG),
  requireConfirmation: optionalMember({ type: ['boolean', 'object'] }),
  runCondition: optionalMember(OBJECT),
};

interface SkippedStep {
  readonly id: string;
  readonly condition: object;
}

interface NextStep {
  readonly step: ShownStep | null;
  readonly guidance: {
    readonly prompt: string;
    readonly modelHint?: string;
    readonly requiresConfirmation: boolean;
    readonly validationCriteria: readonly string[];
  };
  readonly isComplete: boolean;
  readonly warnings?: readonly string[];
  readonly skippedSteps?: readonly SkippedStep[];
  readonly missingContext?: readonly string[];
}

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
  answer: object<NextStep>({
    step: orNull(object<ShownStep>(SHOWN_STEP)),
    guidance: object<NextStep['guidance']>({
      prompt: TEXT,
      modelHint: optionalMember(TEXT),
      requiresConfirmation: FLAG,
      validationCriteria: TEXTS,
    }),
    isComplete: FLAG,
    warnings: optionalMember(TEXTS),
    skippedSteps: optionalMember(listOf(object<SkippedStep>({ id: TEXT, condition: OBJECT }))),
    missingContext: optionalMember(TEXTS),
  }),
  async run({ workspace }, input): Promise<NextStep> {
    const { workflowId, currentStep = null } = input;
    const { steps, definition } = await findTextWorkflow(workspace, workflowId);
    const ids = steps.map((step) => step.id);
    if (currentStep !== null && !ids.includes(currentStep)) {
      throw stepNotFound(workflowId, currentStep, ids);
    }
    const next = nextStep(steps, input.completedSteps, input.context ?? {});
    return {
      ...next,
      step: next.step && shown(definition.steps[steps.indexOf(next.step)] as WrittenStep),
    };
  },
});

function shown(written: WrittenStep): ShownStep {
  const names = (Object.keys(SHOWN_STEP) as (keyof ShownStep)[]).filter((name) =>
    Object.hasOwn(written, name),
  );
  return Object.fromEntries(names.map((name) => [name, written[name]])) as unknown as ShownStep;
}
