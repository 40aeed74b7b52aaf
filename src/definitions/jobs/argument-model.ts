// Makes the model of a job with `step_arguments`, once every check has passed. A file that a step
// makes is an output, a text that it makes is a report; what it takes comes from the last step
// before it that makes it, or else is an input of the workflow.

import type { Criteria } from '../../core/rules.ts';
import type { DeclaredVariable } from '../../core/variables.ts';
import {
  type Input,
  type Instructions,
  type Job,
  type Output,
  type Review,
  type Step,
  stepsOf,
  type Workflow,
} from '../../core/workflow.ts';
import type {
  Argument,
  ArgumentJob,
  ArgumentReview,
  ArgumentStep,
  ArgumentUse,
  ArgumentWorkflow,
} from './argument-style.ts';
import type { JobOrigin } from './job-model.ts';

/** The compiled schema of the arguments that have one. */
export type ArgumentRules = ReadonlyMap<Argument, Criteria>;

interface Making {
  readonly job: ArgumentJob;
  readonly byName: ReadonlyMap<string, Argument>;
  readonly rules: ArgumentRules;
}

/** Of a file that has none. */
const NO_VERSION = '0.0.0';

export function makeArgumentJob(job: ArgumentJob, rules: ArgumentRules, origin: JobOrigin): Job {
  const byName = new Map(job.arguments.map((each) => [each.name.value, each]));
  const workflows = job.workflows.map((each) => makeWorkflow(each, { job, byName, rules }));
  return {
    name: job.name.value,
    version: job.version ?? NO_VERSION,
    summary: job.summary,
    description: null,
    commonInfo: '',
    ...origin,
    // Two workflows may each have a step of one name: who looks for one asks its workflow.
    steps: workflows.flatMap(stepsOf),
    workflows,
  };
}

function makeWorkflow(workflow: ArgumentWorkflow, making: Making): Workflow {
  const { name, summary, commonInfo, afterword, steps } = workflow;
  const inputs = inputsOf(steps, making);
  return {
    name: name.value,
    summary,
    entries: steps.map((step, index) => ({
      kind: 'steps',
      steps: [makeStep(step, steps.slice(0, index), making)],
    })),
    ...(inputs.length > 0 && { inputs }),
    ...(commonInfo !== null && { commonInfo }),
    ...(afterword !== null && { afterword }),
  };
}

/** What steps take and no step before them makes. */
function inputsOf(steps: readonly ArgumentStep[], { byName }: Making): DeclaredVariable[] {
  const made = new Set<string>();
  const inputs = new Map<string, DeclaredVariable>();
  for (const step of steps) {
    for (const { name, required } of step.inputs) {
      const argument = byName.get(name.value);
      if (argument === undefined || made.has(name.value)) continue;
      const isAsked = inputs.get(name.value)?.required ?? false;
      inputs.set(name.value, variableOf(argument, required || isAsked));
    }
    for (const { name } of step.outputs) made.add(name.value);
  }
  return [...inputs.values()];
}

function variableOf({ name, description, type }: Argument, required: boolean): DeclaredVariable {
  return {
    name: name.value,
    description,
    enum: null,
    pattern: null,
    required,
    default: null,
    ...(type === 'string' ? { type } : { type: 'file', many: true }),
  };
}

function makeStep(step: ArgumentStep, earlier: readonly ArgumentStep[], making: Making): Step {
  const uses = step.outputs.flatMap((use) => {
    const argument = making.byName.get(use.name.value);
    return argument === undefined ? [] : [{ use, argument }];
  });
  const texts = uses.filter(({ argument }) => argument.type === 'string');
  return {
    id: step.name.value,
    name: step.name.value,
    description: '',
    instructions: instructionsOf(step, making.job),
    inputs: step.inputs.flatMap((use) => inputOf(use, earlier, making)),
    outputs: uses
      .filter(({ argument }) => argument.type === 'file_path')
      .map(({ use, argument }) => outputOf(use, argument, making.rules)),
    reviews: [...uses.flatMap(({ use, argument }) => reviewsOf(use, argument)), ...processOf(step)],
    checks: [],
    ...(texts.length > 0 && {
      reports: texts.map(({ use, argument }) => variableOf(argument, use.required)),
      reportsInOutputs: true,
    }),
    when: null,
  };
}

function inputOf(
  { name }: ArgumentUse,
  earlier: readonly ArgumentStep[],
  { byName }: Making,
): Input[] {
  const argument = byName.get(name.value);
  if (argument === undefined) return [];
  const from = earlier.findLast(({ outputs }) =>
    outputs.some((output) => output.name.value === name.value),
  );
  const isFile = argument.type === 'file_path';
  if (from !== undefined && isFile) {
    return [{ kind: 'file', file: name.value, fromStep: from.name.value }];
  }
  const { description } = argument;
  const fromStep = from?.name.value ?? null;
  return [{ kind: 'variable', name: name.value, description, fromStep, isFile }];
}

function outputOf({ required }: ArgumentUse, argument: Argument, rules: ArgumentRules): Output {
  return {
    name: argument.name.value,
    type: 'file',
    orList: true,
    description: argument.description,
    required,
    rules: rules.get(argument) ?? null,
    lint: null,
  };
}

/** Those of the argument, and those of this step in addition. */
function reviewsOf(use: ArgumentUse, argument: Argument): Review[] {
  const name = argument.name.value;
  const own = use.review === null ? [] : [reviewOf(`${name} in this step`, argument, use.review)];
  const common = argument.review === null ? [] : [reviewOf(name, argument, argument.review)];
  return [...common, ...own];
}

function reviewOf(
  criterion: string,
  { name, type }: Argument,
  { strategy, instructions }: ArgumentReview,
): Review {
  const isEach = type === 'file_path' && strategy === 'individual';
  return {
    runEach: isEach ? name.value : 'step',
    criteria: [{ name: criterion, text: instructions }],
    guidance: null,
    ...(!isEach && type === 'file_path' && { only: name.value }),
  };
}

const OF_PROCESS =
  'These are about how the work was done, not about the files alone. The notes of the author say what was done; where they do not show that a requirement is met, it is not met.';

function processOf({ requirements }: ArgumentStep): Review[] {
  if (requirements.length === 0) return [];
  return [{ runEach: 'step', criteria: requirements, guidance: OF_PROCESS }];
}

function instructionsOf(
  { instructions, subWorkflow, outputs }: ArgumentStep,
  job: ArgumentJob,
): Instructions {
  if (subWorkflow === null) return { kind: 'text', prompt: instructions ?? '' };
  const start = JSON.stringify({
    job_name: (subWorkflow.job ?? job.name).value,
    workflow_name: subWorkflow.workflow.value,
  });
  const results = outputs.map(({ name }) => name.value).join(', ');
  const hand = results === '' ? 'with outputs {}' : `with what it made: ${results}`;
  return {
    kind: 'text',
    prompt: `Call start_workflow with ${start}, the goal of this run, and the inputs of this step as its inputs. Do that workflow to its end. Then call finished_step for this step ${hand}.`,
  };
}
