// The commands that a workspace would run by itself, and whether a person has agreed to
// them: the checks of its jobs, and the reviewer, the notifier and the agents that its
// config.yml names. (A reviewer given as an option of the server was chosen by whoever
// started it.)

import path from 'node:path';
import { Refused, refuse } from '../core/refusal.ts';
import type { Job, Step } from '../core/workflow.ts';
import type { Settings } from '../workspace/settings.ts';
import type { TrustedCommand } from '../workspace/trust.ts';
import type { Workspace } from './workspace.ts';

/** Everything that could run, for a person to look at. */
export async function commandList(workspace: Workspace): Promise<TrustedCommand[]> {
  const { jobs } = await workspace.library.list();
  const settings = await workspace.settings();
  const reviewer = reviewerCommand(workspace, settings);
  const { notify } = settings.team;
  const checkout = checkoutCommand(workspace, settings);
  return [
    ...(checkout === null ? [] : [checkout]),
    ...(reviewer === null ? [] : [reviewer]),
    ...(notify === null ? [] : [notifyCommand(workspace, notify)]),
    ...(await agentCommands(workspace)),
    ...jobs.flatMap(checksOf),
  ];
}

/** Whether the branch of a run may be checked out, which runs the repository's git filters. */
export async function checkoutTrusted(workspace: Workspace, settings: Settings): Promise<boolean> {
  const checkout = checkoutCommand(workspace, settings);
  return checkout === null || (await workspace.trust.stateOf([checkout])) === 'trusted';
}

/** Whether a person has agreed to the command that is told of questions. */
export async function notifyTrusted(workspace: Workspace, command: string): Promise<boolean> {
  return (await workspace.trust.stateOf([notifyCommand(workspace, command)])) === 'trusted';
}

/** What starts an agent, if the project says so and is trusted with it; else null. */
export async function commandOfAgent(workspace: Workspace, name: string): Promise<string | null> {
  const command = (await agentCommands(workspace)).find((each) => each.name === agentName(name));
  if (command === undefined) return null;
  await requireTrust(
    workspace,
    [command],
    '.deepwork/config.yml names a command that runs an agent',
  );
  return command.run;
}

export async function requireTrustInChecks(
  workspace: Workspace,
  job: Job,
  step: Step,
): Promise<void> {
  await requireTrust(workspace, checksOf(job), `Step '${step.id}' has checks that run commands`);
}

export async function requireTrustInReviewer(
  workspace: Workspace,
  settings: Settings,
): Promise<void> {
  const reviewer = reviewerCommand(workspace, settings);
  if (reviewer === null) return;
  await requireTrust(workspace, [reviewer], '.deepwork/config.yml names a command that reviews');
}

async function requireTrust(
  { trust, paths }: Workspace,
  commands: readonly TrustedCommand[],
  what: string,
): Promise<void> {
  const state = await trust.stateOf(commands);
  if (state === 'trusted') return;
  const why =
    state === 'changed'
      ? 'which is not what was trusted in this workspace'
      : 'and nobody has trusted this workspace to run them';
  throw new Refused(
    refuse(
      'workspace_untrusted',
      `${what}, ${why}`,
      `ask your user to look at them and run: deepwork trust --path ${paths.root}`,
    ),
  );
}

async function agentCommands(workspace: Workspace): Promise<TrustedCommand[]> {
  const team = await workspace.teamAgents([]);
  if (team.kind === 'broken') {
    throw new Refused(
      refuse(
        'team_broken',
        `Could not read the team definition: ${team.file}: ${team.reason}`,
        `correct ${team.file} and try again.`,
      ),
    );
  }
  return team.agents.flatMap(({ name, command }) =>
    command === null ? [] : [{ file: workspace.paths.config, name: agentName(name), run: command }],
  );
}

function agentName(name: string): string {
  return `agent ${name}`;
}

function checksOf(job: Job): TrustedCommand[] {
  const file = path.join(job.dir, 'job.yml');
  return job.steps.flatMap((step) =>
    step.checks.map(({ name, run }) => ({ file, name: `step ${step.id}, check ${name}`, run })),
  );
}

function reviewerCommand({ paths }: Workspace, { reviewer }: Settings): TrustedCommand | null {
  if (reviewer.kind !== 'command' || reviewer.from !== 'config') return null;
  return { file: paths.config, name: 'agent_review_command', run: reviewer.command };
}

function checkoutCommand({ paths }: Workspace, settings: Settings): TrustedCommand | null {
  if (settings.branch !== 'checkout' || settings.branchFrom !== 'config') return null;
  return { file: paths.config, name: 'git.branch', run: 'git checkout' };
}

function notifyCommand({ paths }: Workspace, command: string): TrustedCommand {
  return { file: paths.config, name: 'team.notify', run: command };
}
