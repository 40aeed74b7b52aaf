// The commands that the jobs of a workspace would run, and whether a person has agreed
// to them. Trust is given for the whole list: one changed command asks again.

import { Refused, refuse } from '../core/refusal.ts';
import type { Job, Step } from '../core/workflow.ts';
import type { TrustedCommand } from '../workspace/trust.ts';
import type { Workspace } from './workspace.ts';

export async function checkList(
  workspace: Pick<Workspace, 'library'>,
  running?: Job,
): Promise<TrustedCommand[]> {
  const { jobs } = await workspace.library.list();
  const byDir = new Map(jobs.map((job) => [job.dir, job]));
  if (running !== undefined) byDir.set(running.dir, running);
  return [...byDir.values()].flatMap((job) =>
    job.steps.flatMap((step) =>
      step.checks.map(({ name, run }) => ({ job: job.dir, step: step.id, name, run })),
    ),
  );
}

export async function requireTrust(workspace: Workspace, job: Job, step: Step): Promise<void> {
  if (await workspace.trust.isTrusted(await checkList(workspace, job))) return;
  throw new Refused(
    refuse(
      'workspace_untrusted',
      `Step '${step.id}' has checks that run commands, and nobody has trusted this workspace to run them`,
      `ask your user to look at them and run: deepwork trust --path ${workspace.paths.root}`,
    ),
  );
}
