// Finds what the id of a guide tool names: a guide, or a job's workflow (`job/workflow`).

import path from 'node:path';
import { MAX_PROBLEMS } from '../../core/conditions-problems.ts';
import type { TextStep } from '../../core/guide-next-step.ts';
import { Refused } from '../../core/refusal.ts';
import { type Job, type Step, stepsOf, type Workflow } from '../../core/workflow.ts';
import type { Guide, WrittenGuide } from '../../definitions/guides/guide-model.ts';
import { readInstructions } from '../../definitions/jobs/instructions.ts';
import { problemOf } from '../../definitions/reader/issues.ts';
import type { Workspace } from '../workspace.ts';
import { guideFailure, workflowNotFound } from './failures.ts';

export interface TextWorkflow {
  readonly id: string;
  /** The definition as workflow_get shows it. */
  readonly definition: WrittenGuide;
  /** The same steps with their instructions as text, as workflow_next needs them. */
  readonly steps: readonly TextStep[];
}

export interface FindGuideOptions {
  /** The step that workflow_validate checks: invalid criteria of this step have their own code. */
  readonly validating?: string;
}

/** A guide by its id, ready to run. */
export async function findGuide(
  { guides }: Pick<Workspace, 'guides'>,
  id: string,
  wanted: FindGuideOptions = {},
): Promise<Guide> {
  const found = await guides.find(id);
  if (found.kind === 'missing') {
    const { guides: known } = await guides.list();
    const ids = known.map((guide) => guide.id);
    throw workflowNotFound(id, ids, 'workflow_list');
  }
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
    ? guideFailure(code, { workflowId: id, file, problems: problems.map(problemOf) })
    : guideFailure(code, { workflowId: id, file });
}

export async function findTextWorkflow(
  workspace: Pick<Workspace, 'guides' | 'library'>,
  id: string,
  wanted: FindGuideOptions = {},
): Promise<TextWorkflow> {
  if (id.includes('/')) return findJobWorkflow(workspace, id);
  const { source, definition } = await findGuide(workspace, id, wanted);
  // The instructions of a guide are always texts.
  return { id, definition: source, steps: definition.steps as readonly TextStep[] };
}

async function findJobWorkflow(
  { library }: Pick<Workspace, 'library'>,
  id: string,
): Promise<TextWorkflow> {
  const [jobName = '', workflowName = ''] = id.split('/');
  const found = await library.find(jobName);
  if (found.kind === 'missing') {
    const { jobs } = await library.list();
    throw workflowNotFound(id, jobs.flatMap(idsOf), 'get_workflows');
  }
  if (found.kind === 'broken') {
    const problems = found.issues
      .slice(0, MAX_PROBLEMS)
      .map((issue) => problemOf({ ...issue, path: [] }));
    throw guideFailure('guide_invalid', { workflowId: id, file: found.file, problems });
  }
  const { job } = found;
  const workflow = job.workflows.find(({ name }) => name === workflowName);
  if (workflow === undefined || id.split('/').length !== 2) {
    throw workflowNotFound(id, idsOf(job), 'get_workflows');
  }
  return textWorkflowOf(id, job, workflow);
}

function idsOf(job: Pick<Job, 'name' | 'workflows'>): string[] {
  return job.workflows.map(({ name }) => `${job.name}/${name}`);
}

async function textWorkflowOf(id: string, job: Job, workflow: Workflow): Promise<TextWorkflow> {
  const steps = await Promise.all(stepsOf(workflow).map((step) => withText(id, job, step)));
  const { name, summary: description } = workflow;
  const written = steps.map((step) => ({
    id: step.id,
    title: step.name,
    prompt: step.instructions.prompt,
    ...(step.when === null ? {} : { runCondition: step.when.source }),
  }));
  const definition = {
    id,
    name,
    description,
    version: job.version,
    category: 'job',
    steps: written,
  };
  return { id, definition, steps };
}

async function withText(workflowId: string, job: Job, step: Step): Promise<TextStep> {
  const prompt = await readInstructions(job, step).catch((error: unknown) => {
    if (!(error instanceof Refused) || step.instructions.kind !== 'file') throw error;
    const file = path.resolve(job.dir, step.instructions.file);
    throw guideFailure('guide_unreadable', { workflowId, file });
  });
  return { ...step, instructions: { kind: 'text', prompt } };
}
