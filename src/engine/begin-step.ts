// What an agent is told when a step begins: the same object in every answer that puts
// a step before it, built from the definition as it is now.

import { criteriaInWords, type GuideStep, isConfirmed, walkStepOf } from '../core/guide.ts';
import { Refused } from '../core/refusal.ts';
import { standing } from '../core/session/positions.ts';
import { currentStepGone } from '../core/session/refusals.ts';
import {
  type Context,
  isCompleted,
  type Outputs,
  progressOf,
  type Session,
} from '../core/session/state.ts';
import { howToName, isSubmittedByName, shownOutputs } from '../core/session/submission.ts';
import type { Job, Step } from '../core/workflow.ts';
import { readInstructions } from '../definitions/instructions.ts';
import { listOf, OBJECT, object, TEXT } from './answer-schema.ts';
import type { Edition } from './definition-in-use.ts';

interface ExpectedOutput {
  readonly name: string;
  readonly type: 'file' | 'files';
  readonly description: string;
  readonly required: boolean;
  readonly syntax_for_finished_step_tool: string;
}

interface StepReview {
  readonly run_each: string;
  readonly quality_criteria: Readonly<Record<string, string>>;
  readonly additional_review_guidance: string | null;
}

interface StepInput {
  readonly name: string;
  readonly description: string | null;
  readonly from_step: string | null;
  /** The file or files that the earlier step handed in; null if there are none (yet). */
  readonly path: string | readonly string[] | null;
}

interface StepBriefing {
  readonly step_id: string;
  readonly step_inputs: readonly StepInput[];
  readonly step_expected_outputs: readonly ExpectedOutput[];
  readonly step_reviews: readonly StepReview[];
  readonly step_quality_criteria: readonly string[];
  readonly step_instructions: string;
  /** How a member of a concurrent entry is submitted that has no required outputs. */
  readonly step_submission?: string;
  /** Of guides only. */
  readonly requires_confirmation?: boolean;
  readonly model_hint?: string | null;
}

export interface BeginStep extends StepBriefing {
  readonly session_id: string;
  readonly branch_name: string;
  readonly job_dir: string;
  readonly common_job_info: string;
  /** The other steps of a concurrent entry. */
  readonly concurrent_steps: readonly StepBriefing[];
}

/** The members that an agent cannot do without; as a schema, the others would cost too much. */
export const BEGIN_STEP = object({
  session_id: TEXT,
  step_id: TEXT,
  step_instructions: TEXT,
  step_expected_outputs: listOf(OBJECT),
  concurrent_steps: listOf(OBJECT),
});

/** Refused when the step or its instructions are gone. */
export async function beginStep(session: Session, edition: Edition): Promise<BeginStep> {
  const { job, workflow } = edition;
  const here = standing(session, workflow);
  if (here === null) throw new Refused(currentStepGone(session));
  // What is accepted already need not be done again, after a lost context least of all.
  const open = here.members.filter((step) => !isCompleted(session, step.id));
  const toDo = open.length > 0 ? open : here.members;
  const [primary, ...others] = await Promise.all(
    toDo.map((step) => briefing(session, job, step, here.members)),
  );
  if (primary === undefined) throw new Refused(currentStepGone(session));
  return {
    session_id: session.id,
    branch_name: session.branchName,
    job_dir: job.dir,
    ...primary,
    step_instructions:
      others.length === 0
        ? primary.step_instructions
        : `${primary.step_instructions.trimEnd()}\n\n${concurrentNote(toDo)}`,
    common_job_info: job.commonInfo,
    concurrent_steps: others,
  };
}

async function briefing(
  session: Session,
  job: Job,
  step: Step,
  members: readonly Step[],
): Promise<StepBriefing> {
  const shown = shownOutputs(members).filter((each) => each.step === step);
  return {
    step_id: step.id,
    step_inputs: step.inputs.map((input) =>
      input.kind === 'asked'
        ? { name: input.name, description: input.description, from_step: null, path: null }
        : {
            name: input.file,
            description: null,
            from_step: input.fromStep,
            path: handedIn(progressOf(session.progress, input.fromStep)?.outputs, input.file),
          },
    ),
    step_expected_outputs: shown.map(({ shown: name, output }) => ({
      name,
      type: output.type,
      description: output.description,
      required: output.required,
      syntax_for_finished_step_tool:
        output.type === 'file' ? 'filepath' : 'array of filepaths for all individual files',
    })),
    step_reviews: step.reviews.map((review) => ({
      run_each: review.runEach,
      quality_criteria: Object.fromEntries(review.criteria.map(({ name, text }) => [name, text])),
      additional_review_guidance: review.guidance,
    })),
    ...(step.guide === undefined
      ? {
          step_quality_criteria: step.reviews.flatMap(({ criteria }) =>
            criteria.map(({ text }) => text),
          ),
          step_instructions: await readInstructions(job, step),
        }
      : fromGuide(step.guide.step, session.context)),
    ...submissionOf(step, members),
  };
}

/** A guide's step says the same in a session as in workflow_next. */
function fromGuide(step: GuideStep, context: Context) {
  const walked = walkStepOf(step);
  return {
    step_quality_criteria: criteriaInWords(walked, context),
    step_instructions: walked.prompt,
    requires_confirmation: isConfirmed(walked.confirmation, context),
    model_hint: walked.modelHint ?? null,
  };
}

function handedIn(outputs: Outputs | undefined, name: string): string | readonly string[] | null {
  return outputs !== undefined && Object.hasOwn(outputs, name) ? (outputs[name] ?? null) : null;
}

/** Only where the outputs do not say it by themselves. */
function submissionOf(step: Step, members: readonly Step[]): { step_submission?: string } {
  if (members.length === 1 || !isSubmittedByName(step)) return {};
  return {
    step_submission: `No outputs are required, so it is complete only when it is submitted by name: when it is done, ${howToName(step.id)}, or with the outputs that it made.`,
  };
}

function concurrentNote(members: readonly Step[]): string {
  const ids = members.map((step) => step.id).join(', ');
  const unasked = members.filter(isSubmittedByName).map((step) => step.id);
  const byName =
    unasked.length === 0
      ? ''
      : ` Those without required outputs (${unasked.join(', ')}) are submitted by name when they are done, one call each: step_id and outputs {} (or what they made).`;
  return `**CONCURRENT STEPS**: these ${members.length} steps are to be done side by side: ${ids}. Use the Task tool to run each in a subagent of its own, with that step's instructions (the others are in concurrent_steps). Then call finished_step with the outputs of all of them, or of each as it is done.${byName}`;
}
