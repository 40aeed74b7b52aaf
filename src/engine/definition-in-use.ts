// The definition that a running session is to follow now: its job read afresh from the
// directory it was started from. An edit is followed, and the agent is told.

import { Refused, refuse } from '../core/refusal.ts';
import { currentStepGone } from '../core/session/refusals.ts';
import type { Session } from '../core/session/state.ts';
import { shown } from '../core/wording.ts';
import type { Job, Workflow } from '../core/workflow.ts';
import { inSession, isNotFound } from './guides/failures.ts';
import { findGuide } from './guides/find-guide.ts';
import { guideAsJob } from './guides/guide-as-job.ts';
import { heldChecks, withHeldChecks } from './held-back.ts';
import type { Workspace } from './workspace.ts';

export interface Edition {
  readonly job: Job;
  readonly workflow: Workflow;
  readonly hash: string;
  readonly warnings: readonly string[];
}

export async function editionOf(workspace: Workspace, session: Session): Promise<Edition> {
  if (session.kind === 'guide') return guideEdition(workspace, session);
  const found = await workspace.library.at(session.jobDir);
  if (found.kind === 'missing') throw new Refused(jobGone(session));
  if (found.kind === 'broken') throw new Refused(jobBroken(session.jobName, found.problems));
  const job = withHeldChecks(workspace, found.job);
  const workflow = job.workflows.find(({ name }) => name === session.workflowName);
  if (workflow === undefined) throw new Refused(workflowNotFound(session.workflowName, job));
  const warnings = edited(session, job, 'job.yml');
  // An edit that drops a trusted check is followed in everything but that.
  if (warnings.length > 0) warnings.push(...heldChecks(workspace, found.job));
  return { job, workflow, hash: job.hash, warnings };
}

async function guideEdition(workspace: Workspace, session: Session): Promise<Edition> {
  const guide = await findGuide(workspace, session.jobName).catch((error: unknown) => {
    // Without its file a session has lost its step, too.
    if (isNotFound(error)) throw new Refused(currentStepGone(session));
    throw inSession(error);
  });
  const job = guideAsJob(guide);
  const workflow = job.workflows[0] as Workflow;
  return { job, workflow, hash: job.hash, warnings: edited(session, job, 'the file') };
}

function edited(session: Session, job: Job, file: string): string[] {
  if (job.hash === session.definition) return [];
  return [`${file} of '${job.name}' was edited during this run; the new edition is followed.`];
}

const MAX_LISTED = 20;

export function jobNotFound(name: string, known: readonly string[]) {
  const named = known.slice(0, MAX_LISTED).map(shown).join(', ');
  const more = known.length > MAX_LISTED ? `, … (${known.length} in all)` : '';
  return refuse(
    'job_not_found',
    `Job not found: ${shown(name)}`,
    known.length === 0
      ? 'there are no jobs here yet: ask your user which project is meant.'
      : `use one of these: ${named}${more}. get_workflows tells about each.`,
  );
}

/** The same in the middle of a run. */
function jobGone({ jobName, jobDir }: Session) {
  return refuse(
    'job_not_found',
    `Job not found: ${shown(jobName)}`,
    `put ${jobDir} back and make the same call again, or give up with abort_workflow.`,
  );
}

export function jobBroken(name: string, problems: string) {
  return refuse(
    'job_invalid',
    `Failed to parse job '${name}': ${problems}`,
    'mend its job.yml (`deepwork lint` shows every problem) and call again.',
  );
}

export function workflowNotFound(name: string, job: Job) {
  const names = job.workflows.map((workflow) => workflow.name).join(', ') || '(none)';
  return refuse(
    'workflow_not_found',
    `Workflow '${shown(name)}' not found in job '${job.name}'. Available workflows: ${names}`,
    'use one of the available workflows.',
  );
}
