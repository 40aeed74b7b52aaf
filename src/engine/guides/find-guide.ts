// What an id stands for: a guide, or a job's workflow walked as one (`job/workflow`).
// Both become the same list of steps.

import path from 'node:path';
import { MAX_PROBLEMS } from '../../core/conditions-problems.ts';
import { type Guide, type WalkStep, walkStepOf } from '../../core/guide.ts';
import { Refused } from '../../core/refusal.ts';
import type { Criteria } from '../../core/rules.ts';
import type { Job, Step, Workflow } from '../../core/workflow.ts';
import { pointerTo } from '../../definitions/guides/json-places.ts';
import { readInstructions } from '../../definitions/instructions.ts';
import type { Workspace } from '../workspace.ts';
import { guideFailure, workflowNotFound } from './failures.ts';

export interface Walkable {
  readonly id: string;
  /** The definition, as workflow_get tells it. */
  readonly definition: unknown;
  readonly steps: readonly WalkStep[];
  /** What the outputs of each step must meet, by step id and output name. */
  readonly criteria: ReadonlyMap<string, ReadonlyMap<string, Criteria | null>>;
  /** JSON Pointer, from its step, to the criteria of an output. */
  criteriaAt(output: string): string;
}

/** A guide's one output, when a session hands it in. */
export const GUIDE_OUTPUT = 'output';

export interface Wanted {
  /** Set by workflow_validate: bad criteria of this very step are its own failure. */
  readonly validating?: string;
}

/** A guide by its id, ready to run. */
export async function findGuide(
  { guides }: Pick<Workspace, 'guides'>,
  id: string,
  wanted: Wanted = {},
): Promise<Guide> {
  const found = await guides.find(id);
  if (found.kind === 'missing') throw workflowNotFound(id, await guideIds(guides), 'workflow_list');
  if (found.kind === 'guide') return found.guide;
  const { file, code, problems } = found;
  const fault = found.criteriaOnly
    ? found.criteriaFaults.find(({ step }) => step === wanted.validating)
    : undefined;
  if (fault !== undefined) {
    const { step, rule, reason } = fault;
    throw guideFailure('guide_rule_unusable', { workflowId: id, stepId: step, rule, reason });
  }
  throw code === 'guide_invalid'
    ? guideFailure(code, { workflowId: id, file, problems })
    : guideFailure(code, { workflowId: id, file });
}

export async function findWalkable(
  workspace: Pick<Workspace, 'guides' | 'library'>,
  id: string,
  wanted: Wanted = {},
): Promise<Walkable> {
  if (id.includes('/')) return findJobWorkflow(workspace, id);
  return walkGuide(await findGuide(workspace, id, wanted));
}

function walkGuide(guide: Guide): Walkable {
  return {
    id: guide.id,
    definition: guide.source,
    steps: guide.steps.map(walkStepOf),
    criteria: new Map(
      guide.steps.map((step) => [step.id, new Map([[GUIDE_OUTPUT, step.criteria]])]),
    ),
    criteriaAt: () => '/validationCriteria',
  };
}

async function findJobWorkflow(
  { library }: Pick<Workspace, 'library'>,
  id: string,
): Promise<Walkable> {
  const [jobName = '', workflowName = ''] = id.split('/');
  const found = await library.find(jobName);
  if (found.kind === 'missing')
    throw workflowNotFound(id, await jobWorkflowIds(library), 'get_workflows');
  if (found.kind === 'broken') {
    const problems = found.findings
      .slice(0, MAX_PROBLEMS)
      .map(({ line, column, message }) => ({ line, column, path: '', message }));
    throw guideFailure('guide_invalid', { workflowId: id, file: found.file, problems });
  }
  const { job } = found;
  const workflow = job.workflows.find(({ name }) => name === workflowName);
  if (workflow === undefined || id.split('/').length !== 2) {
    throw workflowNotFound(id, idsOf(job), 'get_workflows');
  }
  return walkJob(id, job, workflow);
}

async function guideIds(guides: Workspace['guides']): Promise<string[]> {
  return (await guides.list()).guides.map((guide) => guide.id);
}

async function jobWorkflowIds(library: Workspace['library']): Promise<string[]> {
  return (await library.list()).jobs.flatMap(idsOf);
}

function idsOf(job: Pick<Job, 'name' | 'workflows'>): string[] {
  return job.workflows.map(({ name }) => `${job.name}/${name}`);
}

async function walkJob(id: string, job: Job, workflow: Workflow): Promise<Walkable> {
  const flat = workflow.entries.flat();
  const steps = await Promise.all(flat.map((step) => walkJobStep(id, job, step)));
  return {
    id,
    definition: {
      id,
      name: workflow.name,
      description: workflow.summary,
      version: job.version,
      category: 'job',
      steps: steps.map((step) => step.shown),
    },
    steps,
    criteria: new Map(
      flat.map((step) => [
        step.id,
        new Map(step.outputs.map((output) => [output.name, output.rules])),
      ]),
    ),
    criteriaAt: (output) => pointerTo(['outputs', output, 'rules']),
  };
}

async function walkJobStep(workflowId: string, job: Job, step: Step): Promise<WalkStep> {
  const prompt = await readInstructions(job, step).catch((error: unknown) => {
    if (!(error instanceof Refused)) throw error;
    const file = path.resolve(job.dir, step.instructionsFile);
    throw guideFailure('guide_unreadable', { workflowId, file });
  });
  return {
    id: step.id,
    shown: {
      id: step.id,
      title: step.name,
      prompt,
      ...(step.when === null ? {} : { runCondition: step.when.source }),
    },
    prompt,
    confirmation: false,
    runCondition: step.when,
    criteria: step.outputs.flatMap(({ rules }) => (rules === null ? [] : [rules])),
    furtherCriteria: step.reviews.flatMap(({ criteria }) => criteria.map(({ text }) => text)),
  };
}
