// What a session runs: a job's workflow, or a guide. Only this file knows where definitions are
// looked up. The definition of a running session is read again at each call; an edit takes
// effect and is reported to the agent.

import path from 'node:path';
import { nearest } from '../core/nearest.ts';
import { Refused, refuse } from '../core/refusal.ts';
import type { WorkflowInUse } from '../core/session/decide.ts';
import { guideStepGone, jobStepGone } from '../core/session/refusals.ts';
import type { Session } from '../core/session/state.ts';
import { shown } from '../core/wording.ts';
import type { Definition, Job, Workflow } from '../core/workflow.ts';
import type { Guide } from '../definitions/guides/guide-model.ts';
import { JOB_FILE } from '../definitions/jobs/job-yml.ts';
import { isNotFound } from './guides/failures.ts';
import { findGuide } from './guides/find-guide.ts';
import { heldChecks, requireCheckedSteps, withHeldChecks } from './trust/held-back-settings.ts';
import type { Workspace } from './workspace.ts';

export interface DefinitionInUse extends WorkflowInUse {
  readonly definition: Definition;
  readonly warnings: readonly string[];
}

export interface FoundDefinition {
  readonly source: Session['source'];
  /** Absolute path of the `job.yml` or the guide. */
  readonly file: string;
  /** Null for a guide. */
  readonly job: Job | null;
  readonly inUse: DefinitionInUse;
  /** Its name is not the one that was asked for. */
  readonly isRenamed: boolean;
}

/** For a start: the workflow of the job with that name, or else the guide with that id. */
export async function findDefinition(
  workspace: Workspace,
  name: string,
  workflowName: string,
): Promise<FoundDefinition> {
  const found = await workspace.library.find(name);
  if (found.kind === 'broken') throw new Refused(jobBroken(found.jobName, found.problems));
  if (found.kind === 'job') {
    requireCheckedSteps(workspace, found.job);
    const warnings = [...found.warnings, ...heldChecks(workspace, found.job)];
    const job = withHeldChecks(workspace, found.job);
    const workflow = selectWorkflow(job, workflowName);
    const inUse = inUseOf(job, workflow, jobStepGone, warnings);
    const file = path.join(job.dir, JOB_FILE);
    return { source: 'job', file, job, inUse, isRenamed: workflow.name !== workflowName };
  }
  const guide = await findGuide(workspace, name).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    return null;
  });
  if (guide === null) {
    const { jobs } = await workspace.library.list();
    const known = jobs.map((job) => job.name);
    const { guides } = await workspace.guides.list();
    const meant = nearest(name, [...known, ...guides.map(({ id }) => id)]);
    throw new Refused(jobNotFound(name, known, meant));
  }
  const { file } = guide;
  return { source: 'guide', file, job: null, inUse: guideInUse(guide), isRenamed: false };
}

/**
 * Finds what a person typed: `job/workflow`, a job with one workflow, or a guide. If an agent
 * misnames the only workflow of a job, that one is used; from a person it counts as a mistake.
 */
export async function findNamed(workspace: Workspace, wanted: string): Promise<FoundDefinition> {
  const [name, workflowName] = splitName(wanted);
  const found = await findDefinition(workspace, name, workflowName);
  if (!found.isRenamed || !wanted.includes('/')) return found;
  const { definition, workflow } = found.inUse;
  throw new Refused(workflowNotFound(workflowName, definition.name, [workflow]));
}

/** A name without `/` is a guide, which is its own workflow, or a job with one workflow. */
export function splitName(wanted: string): [name: string, workflowName: string] {
  const slash = wanted.indexOf('/');
  return slash === -1 ? [wanted, wanted] : [wanted.slice(0, slash), wanted.slice(slash + 1)];
}

/** The definition of a running session. */
export async function definitionInUse(
  workspace: Workspace,
  session: Session,
): Promise<DefinitionInUse> {
  switch (session.source) {
    case 'job': {
      const found = await workspace.library.at(session.jobDir);
      if (found.kind === 'missing') throw new Refused(jobGone(session));
      if (found.kind === 'broken') throw new Refused(jobBroken(session.jobName, found.problems));
      const job = withHeldChecks(workspace, found.job);
      const workflow = job.workflows.find(({ name }) => name === session.workflowName);
      if (workflow === undefined)
        throw new Refused(workflowNotFound(session.workflowName, job.name, job.workflows, false));
      const warnings = edited(session, job, 'job.yml');
      // An edit that removes a trusted check takes effect, except for that removal.
      if (warnings.length > 0) warnings.push(...heldChecks(workspace, found.job));
      return inUseOf(job, workflow, jobStepGone, warnings);
    }
    case 'guide': {
      const guide = await findGuide(workspace, session.jobName).catch((error: unknown) => {
        // Without the file there is no step either.
        if (isNotFound(error)) throw new Refused(guideStepGone(session));
        throw error;
      });
      return guideInUse(guide, edited(session, guide.definition, 'the file'));
    }
  }
}

function guideInUse({ definition }: Guide, warnings: readonly string[] = []): DefinitionInUse {
  return inUseOf(definition, definition.workflows[0] as Workflow, guideStepGone, warnings);
}

function inUseOf(
  definition: Definition,
  workflow: Workflow,
  stepGone: DefinitionInUse['stepGone'],
  warnings: readonly string[],
): DefinitionInUse {
  return { definition, workflow, hash: definition.hash, stepGone, warnings };
}

/** The only workflow of a job is chosen by any name; otherwise the name must match. */
function selectWorkflow(job: Job, name: string): Workflow {
  const named = job.workflows.find((workflow) => workflow.name === name);
  const only = job.workflows.length === 1 ? job.workflows[0] : undefined;
  const chosen = named ?? only;
  if (chosen === undefined) throw new Refused(workflowNotFound(name, job.name, job.workflows));
  return chosen;
}

function edited(session: Session, { name, hash }: Definition, file: string): string[] {
  if (hash === session.definition) return [];
  return [`${file} of '${name}' was edited during this run; the run follows the new definition.`];
}

const MAX_LISTED = 20;

function jobNotFound(name: string, known: readonly string[], meant: string | null) {
  const named = known.slice(0, MAX_LISTED).map(shown).join(', ');
  const more = known.length > MAX_LISTED ? `, … (${known.length} in all)` : '';
  const use = meant === null ? 'use' : `did you mean '${shown(meant)}'? Use`;
  return refuse(
    'job_not_found',
    `Job not found: ${shown(name)}`,
    known.length === 0
      ? 'there are no jobs here yet: ask your user which project is meant.'
      : `${use} one of these: ${named}${more}. get_workflows describes each.`,
  );
}

/** The same during a run. */
function jobGone({ jobName, jobDir }: Session) {
  return refuse(
    'job_not_found',
    `Job not found: ${shown(jobName)}`,
    `put ${jobDir} back and make the same call again, or give up with abort_workflow.`,
  );
}

function jobBroken(name: string, problems: string) {
  return refuse(
    'job_invalid',
    `Failed to parse job '${name}': ${problems}`,
    'fix its job.yml (`deepwork lint` shows every problem) and call again.',
  );
}

/** During a run no one has just typed the name, so it is not misspelt. */
function workflowNotFound(
  name: string,
  job: string,
  workflows: readonly Workflow[],
  isTyped = true,
) {
  const known = workflows.map((workflow) => workflow.name);
  const names = known.join(', ') || '(none)';
  const meant = isTyped ? nearest(name, known) : null;
  return refuse(
    'workflow_not_found',
    `Workflow '${shown(name)}' not found in job '${job}'. Available workflows: ${names}`,
    meant === null
      ? 'use one of the available workflows.'
      : `did you mean '${shown(meant)}'? Correct it and call again.`,
  );
}
