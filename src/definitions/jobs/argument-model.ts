// Builds the model of a job with `step_arguments` after all checks have passed. A file that a step
// produces is an output, a text is a report. What a step takes comes from the last step before it
// that produces it, or else is an input of the workflow. A step with `sub_workflow` becomes a
// nested run, followed by a step if something has to be submitted afterwards.

import type { Criteria } from '../../core/rules.ts';
import type { DeclaredVariable } from '../../core/variables.ts';
import {
  type Entry,
  type Input,
  type Instructions,
  type Job,
  type Output,
  type Review,
  type RunEntry,
  type RunInput,
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
import { openSubWorkflows, type SubWorkflows } from './sub-workflow.ts';

/** The compiled schemas, of the arguments that have one. */
export type ArgumentRules = ReadonlyMap<Argument, Criteria>;

interface Making {
  readonly job: ArgumentJob;
  /** Unknown names were problems before, so there is always one. */
  readonly argumentOf: (name: string) => Argument;
  readonly rules: ArgumentRules;
  readonly subs: SubWorkflows;
}

/** For a file without a version. */
const NO_VERSION = '0.0.0';

export function makeArgumentJob(job: ArgumentJob, rules: ArgumentRules, origin: JobOrigin): Job {
  const byName = new Map(job.arguments.map((each) => [each.name.value, each]));
  const subs = openSubWorkflows(job);
  const argumentOf = (name: string) => byName.get(name) as Argument;
  const making: Making = { job, argumentOf, rules, subs };
  const workflows = job.workflows.map((each) => makeWorkflow(each, making));
  return {
    name: job.name.value,
    version: job.version ?? NO_VERSION,
    summary: job.summary,
    description: null,
    commonInfo: '',
    ...origin,
    // Two workflows may have steps of the same name, so steps must be looked up in their workflow.
    steps: workflows.flatMap(stepsOf),
    workflows,
  };
}

function makeWorkflow(workflow: ArgumentWorkflow, making: Making): Workflow {
  const { name, summary, commonInfo, afterword, steps } = workflow;
  const needed = [...making.subs.needed(workflow)];
  const inputs = needed.map(([each, isRequired]) =>
    variableOf(making.argumentOf(each), isRequired),
  );
  const ids = submissionIds(steps, making);
  return {
    name: name.value,
    summary,
    entries: steps.flatMap((step, index) =>
      makeEntries(step, { earlier: steps.slice(0, index), ids }, making),
    ),
    ...(inputs.length > 0 && { inputs }),
    ...(commonInfo !== null && { commonInfo }),
    ...(afterword !== null && { afterword }),
  };
}

/** The steps before a step, and the id under which each step of the workflow has its outputs. */
interface StepScope {
  readonly earlier: readonly ArgumentStep[];
  readonly ids: ReadonlyMap<ArgumentStep, string>;
}

/** The id of the step or run itself, or of the separate step that submits the results of a run. */
function submissionIds(
  steps: readonly ArgumentStep[],
  { subs }: Making,
): ReadonlyMap<ArgumentStep, string> {
  const taken = new Set(steps.map(({ name }) => name.value));
  return new Map(
    steps.map((step) => {
      const name = step.name.value;
      if (step.subWorkflow === null || !subs.needsSubmission(step)) return [step, name];
      let id = `${name}_results`;
      for (let nth = 2; taken.has(id); nth += 1) id = `${name}_results_${nth}`;
      taken.add(id);
      return [step, id];
    }),
  );
}

function makeEntries(step: ArgumentStep, scope: StepScope, making: Making): readonly Entry[] {
  const instructions = { kind: 'text', prompt: step.instructions ?? '' } as const;
  const inputs = step.inputs.map((use) => inputOf(use, scope, making));
  const run = runOf(step, scope, making);
  if (run === null) return [stepsOfOne(makeStep(step, { instructions, inputs }, making))];
  if (!making.subs.needsSubmission(step)) return [run];
  const id = scope.ids.get(step) ?? run.name;
  const submission = {
    id,
    instructions: submissionText(step, run),
    inputs: resultsOf(step, making),
  };
  return [run, stepsOfOne(makeStep(step, submission, making))];
}

function stepsOfOne(step: Step): Entry {
  return { kind: 'steps', steps: [step] };
}

function runOf(
  step: ArgumentStep,
  scope: StepScope,
  { job, argumentOf, subs }: Making,
): RunEntry | null {
  const { subWorkflow, outputs } = step;
  if (subWorkflow === null) return null;
  const ofType = (type: Argument['type']) =>
    outputs.map((use) => use.name.value).filter((each) => argumentOf(each).type === type);
  return {
    kind: 'run',
    name: step.name.value,
    job: (subWorkflow.job ?? job.name).value,
    workflow: subWorkflow.workflow.value,
    inputs: [...subs.taken(step).keys()].map((each) => runInput(each, scope, argumentOf(each))),
    byName: {
      outputs: subs.needsSubmission(step) ? [] : ofType('file_path'),
      reports: ofType('string'),
    },
  };
}

/** A file is taken from the last step before that produces it; all else from the context. */
function runInput(name: string, scope: StepScope, { type }: Argument): RunInput {
  const from = producerOf(name, scope);
  if (from === null || type !== 'file_path') return { name, from: name };
  return { name, output: { step: from, output: name } };
}

/** The id under which the last step before has produced it; null: it is an input. */
function producerOf(name: string, { earlier, ids }: StepScope): string | null {
  const maker = earlier.findLast(({ outputs }) => outputs.some((each) => each.name.value === name));
  return maker === undefined ? null : (ids.get(maker) ?? maker.name.value);
}

function submissionText({ outputs, requirements }: ArgumentStep, run: RunEntry): Instructions {
  const names = outputs.map(({ name }) => name.value).join(', ');
  const call =
    names === ''
      ? 'call finished_step with outputs {}'
      : `call finished_step with its results: ${names}. step_inputs shows what it produced under these names`;
  const notes =
    requirements.length === 0 ? '' : ' Describe in notes how it was done: that is reviewed.';
  const prompt = `Workflow '${run.job}/${run.workflow}' is complete. Now ${call}.${notes}`;
  return { kind: 'text', prompt };
}

/** The results of the run, as inputs of the step that submits them. */
function resultsOf({ name, outputs }: ArgumentStep, { argumentOf }: Making): Input[] {
  return outputs.map((use) => inputFrom(argumentOf(use.name.value), name.value));
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

function makeStep(
  step: ArgumentStep,
  { id = step.name.value, ...given }: Pick<Step, 'instructions' | 'inputs'> & { id?: string },
  making: Making,
): Step {
  const uses = step.outputs.map((use) => ({ use, argument: making.argumentOf(use.name.value) }));
  const texts = uses.filter(({ argument }) => argument.type === 'string');
  return {
    id,
    name: step.name.value,
    description: '',
    ...given,
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

function inputOf({ name }: ArgumentUse, scope: StepScope, { argumentOf }: Making): Input {
  return inputFrom(argumentOf(name.value), producerOf(name.value, scope));
}

/** `fromStep`: the step that produces it; null: it is an input of the workflow. */
function inputFrom({ name, type, description }: Argument, fromStep: string | null): Input {
  const isFile = type === 'file_path';
  if (fromStep !== null && isFile) return { kind: 'file', file: name.value, fromStep };
  return { kind: 'variable', name: name.value, description, fromStep, isFile };
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

/** The reviews of the argument, then those of this step. */
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
