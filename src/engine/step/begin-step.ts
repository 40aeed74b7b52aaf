// What an agent gets when a step begins: the same object in every answer that gives it a step,
// built from the current definition.

import type { Context } from '../../core/conditions.ts';
import { criteriaTexts, needsConfirmation } from '../../core/guidance.ts';
import { Refused } from '../../core/refusal.ts';
import { applicableMessages } from '../../core/rules.ts';
import { type CurrentEntry, currentEntry } from '../../core/session/positions.ts';
import { isCompleted, progressOf } from '../../core/session/progress.ts';
import type { Outputs, Session } from '../../core/session/state.ts';
import { howToName, isSubmittedByName, shownOutputs } from '../../core/session/submission.ts';
import { argumentValue } from '../../core/session/variables.ts';
import { fillTemplate } from '../../core/template.ts';
import { listVariables } from '../../core/variables.ts';
import {
  type Definition,
  type Input,
  loopsOf,
  type Output,
  type Step,
  type Workflow,
} from '../../core/workflow.ts';
import { readInstructions } from '../../definitions/jobs/instructions.ts';
import type { BeginStep, StepBriefing, StepInput } from '../answer-types.ts';
import type { DefinitionInUse } from '../definition-in-use.ts';
import { waitBriefing } from './wait-briefing.ts';

/** Refused when the step or its instructions are gone. */
export async function beginStep(session: Session, inUse: DefinitionInUse): Promise<BeginStep> {
  const { definition, workflow } = inUse;
  const here = currentEntry(session, workflow);
  if (here === null) throw new Refused(inUse.stepGone(session));
  const own = {
    session_id: session.id,
    branch_name: session.branchName,
    job_dir: definition.dir,
  };
  const common = {
    common_job_info: workflow.commonInfo ?? definition.commonInfo,
    ...(workflow.inputs !== undefined && { inputs: session.inputs }),
  };
  const loop = loopOf(here, workflow);
  const waiting = waitBriefing(session, here.place.entry);
  if (waiting !== null) return { ...own, ...waiting, ...common, concurrent_steps: [], ...loop };
  // An agent that lost its context must not be asked to do accepted work again.
  const open = here.members.filter((step) => !isCompleted(session, step.id));
  const toDo = open.length > 0 ? open : here.members;
  const [primary, ...others] = await Promise.all(
    toDo.map((step) => briefing(session, definition, step, here.members)),
  );
  if (primary === undefined) throw new Refused(inUse.stepGone(session));
  return {
    ...own,
    ...primary,
    step_instructions:
      others.length === 0
        ? primary.step_instructions
        : `${primary.step_instructions.trimEnd()}\n\n${concurrentNote(toDo)}`,
    ...common,
    concurrent_steps: others,
    ...loop,
  };
}

async function briefing(
  session: Session,
  definition: Definition,
  step: Step,
  members: readonly Step[],
): Promise<StepBriefing> {
  const shown = shownOutputs(members).filter((each) => each.step === step);
  const withCriteria = step.outputs.filter(({ validation }) => validation !== undefined);
  return {
    step_id: step.id,
    step_inputs: step.inputs.map((input) => inputOf(session, input)),
    step_expected_outputs: shown.map(({ shown: name, output }) => ({
      name,
      type: output.type,
      description: output.description,
      required: output.required,
      syntax_for_finished_step_tool: syntaxOf(output),
      ...messagesOf(output, session.context),
    })),
    ...(step.reports !== undefined && { step_reports: listVariables(step.reports) }),
    step_reviews: step.reviews.map((review) => ({
      run_each: review.runEach,
      quality_criteria: Object.fromEntries(review.criteria.map(({ name, text }) => [name, text])),
      additional_review_guidance: review.guidance,
    })),
    step_quality_criteria: criteriaTexts({ ...step, outputs: withCriteria }, session.context),
    ...(step.checks.length > 0 && { step_checks: step.checks.map(({ name }) => name) }),
    step_instructions: fillTemplate(await readInstructions(definition, step), {
      inputs: session.inputs,
      item: step.item?.value,
    }),
    ...(step.confirmation !== undefined && {
      requires_confirmation: needsConfirmation(step.confirmation, session.context),
    }),
    ...(step.modelHint !== undefined && { model_hint: step.modelHint }),
    ...(step.item !== undefined && { item: step.item }),
    ...submissionOf(step, members),
  };
}

function inputOf(session: Session, input: Input): StepInput {
  switch (input.kind) {
    case 'asked':
      return { name: input.name, description: input.description, from_step: null, path: null };
    case 'file': {
      const { file: name, fromStep: from_step } = input;
      const path = handedIn(progressOf(session, from_step)?.outputs, name);
      return { name, description: null, from_step, path };
    }
    case 'variable': {
      const { name, description, fromStep: from_step, isFile } = input;
      const value = argumentValue(session, name);
      if (!isFile) return { name, description, from_step, path: null, value };
      return { name, description, from_step, path: value as StepInput['path'] };
    }
  }
}

function syntaxOf({ type, orList = false }: Output): string {
  if (type === 'files') return 'array of filepaths for all individual files';
  return orList ? 'filepath or array of filepaths' : 'filepath';
}

/** Left out if the workflow has no loops. */
function loopOf({ place, loops }: CurrentEntry, workflow: Workflow): Pick<BeginStep, 'loop'> {
  if (loopsOf(workflow).length === 0) return {};
  const [loop, inner] = [place.loops.at(-1), loops.at(-1)];
  if (loop === undefined || inner === undefined) return { loop: null };
  const { name, max } = loop;
  return { loop: { name, pass: inner.pass, max, said: inner.said ?? null } };
}

function messagesOf({ rules, validation }: Output, context: Context): { refused_with?: string[] } {
  if (rules === null || validation !== undefined) return {};
  const messages = applicableMessages(rules, context);
  return messages.length === 0 ? {} : { refused_with: messages };
}

function handedIn(outputs: Outputs | undefined, name: string): string | readonly string[] | null {
  return outputs !== undefined && Object.hasOwn(outputs, name) ? (outputs[name] ?? null) : null;
}

/** Only for a step that is not submitted just by handing in its outputs. */
function submissionOf(step: Step, members: readonly Step[]): { step_submission?: string } {
  if (members.length === 1 || !isSubmittedByName(step)) return {};
  return {
    step_submission: `No outputs are required, so it is complete only when it is submitted by name: when it is done, ${howToName(step.id)}, or with the outputs that it made.`,
  };
}

function concurrentNote(members: readonly Step[]): string {
  const ids = members.map((step) => step.id).join(', ');
  const optional = members.filter(isSubmittedByName).map((step) => step.id);
  const byName =
    optional.length === 0
      ? ''
      : ` Those without required outputs (${optional.join(', ')}) are submitted by name when they are done, one call each: step_id and outputs {} (or what they made).`;
  return `**CONCURRENT STEPS**: these ${members.length} steps are to be done side by side: ${ids}. Use the Task tool to run each in a subagent of its own, with that step's instructions (the others are in concurrent_steps). Then call finished_step with the outputs of all of them, or of each as it is done.${byName}`;
}
