// The commands that a project's own files name, and whether a person has agreed to them: the checks
// of steps and loops, the commands in its config.yml and GOAL.md, and what git would run for it.
// (A reviewer given as an option of the server was chosen by the person who started it.) Another
// kind of command needs a line in `commandList`.

import path from 'node:path';
import { refusedWith } from '../../core/refusal.ts';
import { stepIdOf } from '../../core/session/for-each.ts';
import { shown } from '../../core/wording.ts';
import {
  type Check,
  type Definition,
  type LoopEntry,
  loopsOf,
  type Step,
  stepsOf,
  type Workflow,
} from '../../core/workflow.ts';
import { filtersOfProject } from '../../environment/git/filters.ts';
import type { Settings } from '../../environment/settings/settings.ts';
import type { RunsIn, TrustedCommand, TrustState } from '../../environment/trust/trust.ts';
import type { Workspace } from '../workspace.ts';

/** Every command that could run, for a person to review. */
export async function commandList(workspace: Workspace): Promise<TrustedCommand[]> {
  const { jobs } = await workspace.library.list();
  const { agentReviewCommand, branch, team, worktreeSetup } = await workspace.config();
  return [
    ...configCommand(workspace, CHECKOUT, branch === 'checkout' ? GIT_CHECKOUT : null),
    ...configCommand(workspace, REVIEWER, agentReviewCommand),
    ...configCommand(workspace, NOTIFIER, team.notify),
    ...configCommand(workspace, SETUP, worktreeSetup),
    ...filterCommands(workspace, (await filtersOfProject(workspace.paths.root)) ?? []),
    ...teamGateCommand(workspace, await workspace.completionGate()),
    ...(await agentCommands(workspace)),
    ...jobs.flatMap((job) => job.steps.flatMap((step) => checksOf(job, step))),
    ...jobs.flatMap((job) => job.workflows.flatMap((workflow) => untilsIn(job, loopsOf(workflow)))),
  ];
}

/** The code of a refusal because trust is missing. */
export const UNTRUSTED = 'workspace_untrusted';

const CHECKOUT = 'git.branch';
const GIT_CHECKOUT = 'git checkout';
const GIT_WORKTREE = 'git worktree add';
const REVIEWER = 'agent_review_command';
const REVIEWER_NAMED = '.deepwork/config.yml names a command that reviews';
const NOTIFIER = 'team.notify';
const SETUP = 'worktree.setup';
const TEAM_GATE = 'completionGateScript';

/** Whether the branch of a run may be checked out, which runs the repository's git filters. */
export async function checkoutTrusted(workspace: Workspace, settings: Settings): Promise<boolean> {
  if (settings.branch !== 'checkout' || settings.branchFrom !== 'config') return true;
  const checkout = configCommand(workspace, CHECKOUT, GIT_CHECKOUT);
  return (await workspace.trust.trustState(checkout)).kind === 'trusted';
}

/** Why the command that announces questions may not run; null if it may. */
export async function whyNotNotify(workspace: Workspace, command: string): Promise<string | null> {
  const trustState = await workspace.trust.trustState(configCommand(workspace, NOTIFIER, command));
  return trustState.kind === 'trusted' ? null : describeState(trustState);
}

/** The command that starts an agent; null if the project names none. Refused if not trusted. */
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

/** The script that decides whether an unattended team is done. */
export async function requireTrustInGate(workspace: Workspace, script: string): Promise<void> {
  await requireTrust(
    workspace,
    teamGateCommand(workspace, script),
    'GOAL.md names a script that judges whether the team is done (completionGateScript)',
  );
}

function teamGateCommand({ paths }: Workspace, run: string | null): TrustedCommand[] {
  return run === null ? [] : [{ file: path.join(paths.root, 'GOAL.md'), name: TEAM_GATE, run }];
}

/** The filters of the repository, which git runs when the worktree of a run is made. */
export async function requireTrustInFilters(workspace: Workspace): Promise<void> {
  const filters = await filtersOfProject(workspace.paths.root);
  if (filters === null) {
    throw refusedWith(
      'git_config_unreadable',
      "The repository's git config cannot be read completely, so it is unknown which filters it names",
      'ask your user to look at .git/config and the files that it includes, or run it without --worktree.',
    );
  }
  await requireTrust(
    workspace,
    filterCommands(workspace, filters),
    `The repository's config names git filters (${shown(filters.join(', '))}), which run when a worktree is made`,
  );
}

/** Each filter counts as a command of its own. */
function filterCommands({ paths }: Workspace, filters: readonly string[]): TrustedCommand[] {
  const file = path.join(paths.root, '.git', 'config');
  return filters.map((name) => ({ file, name: `git filter ${name}`, run: GIT_WORKTREE }));
}

/** The command that prepares the worktree of a run; its scripts are those in the worktree. */
export async function requireTrustInSetup(workspace: Workspace, command: string): Promise<void> {
  await requireTrust(
    workspace,
    configCommand(workspace, SETUP, command),
    '.deepwork/config.yml names a command that prepares worktrees (worktree.setup)',
    'work',
  );
}

export async function requireTrustInChecks(
  workspace: Workspace,
  definition: Definition,
  step: Step,
): Promise<void> {
  const checks = checksOf(definition, step);
  await requireTrust(workspace, checks, `Step '${step.id}' has checks that run commands`, 'work');
}

/** The command that decides whether a loop is done. */
export async function requireTrustInUntil(
  workspace: Workspace,
  definition: Definition,
  loop: LoopEntry,
  check: Check,
): Promise<void> {
  const command = untilCommand(definition, loop, check);
  await requireTrust(workspace, [command], `Loop '${loop.name}' runs a command`, 'work');
}

export async function requireTrustInReviewer(
  workspace: Workspace,
  { reviewer }: Settings,
): Promise<void> {
  if (reviewer.kind !== 'command' || reviewer.from !== 'config') return;
  const command = configCommand(workspace, REVIEWER, reviewer.command);
  await requireTrust(workspace, command, REVIEWER_NAMED, 'work');
}

/**
 * Which commands of a workflow still need a person's trust. It is reported at the start: after the
 * work is done it would be too late to learn that it cannot be handed in.
 */
export async function trustWarnings(
  workspace: Workspace,
  definition: Definition,
  workflow: Workflow,
  settings: Settings,
): Promise<string[]> {
  const work = { steps: stepsOf(workflow), loops: loopsOf(workflow) };
  const untrusted = await untrustedIn(workspace, definition, work, settings);
  return untrusted.map(
    (what) =>
      `${what}. Until a person trusts this project's commands, no step that needs them can be finished: ask your user now to look at them and run: deepwork trust --path ${workspace.paths.root}`,
  );
}

export interface WorkToTrust {
  readonly steps: readonly Step[];
  readonly loops: readonly LoopEntry[];
}

/** Which commands of these steps and loops are not trusted, and why; a sentence each. */
export async function untrustedIn(
  workspace: Workspace,
  definition: Definition,
  { steps, loops }: WorkToTrust,
  { reviewer }: Settings,
): Promise<string[]> {
  const checked = steps.filter(({ checks }) => checks.length > 0);
  const isReviewed = steps.some(({ reviews }) => reviews.length > 0);
  const isNamed = reviewer.kind === 'command' && reviewer.from === 'config';
  const byCommand = loops.filter(({ until }) => until.kind === 'check');
  const needed: [string, TrustedCommand[]][] = [
    [
      `The checks of ${listSteps(checked.map(({ id }) => id))} run commands`,
      checked.flatMap((step) => checksOf(definition, step)),
    ],
    [
      `Commands decide whether ${byCommand.map(({ name }) => `'${name}'`).join(', ')} is done`,
      untilsIn(definition, loops),
    ],
    [
      REVIEWER_NAMED,
      configCommand(workspace, REVIEWER, isNamed && isReviewed ? reviewer.command : null),
    ],
  ];
  const untrusted: string[] = [];
  for (const [what, commands] of needed) {
    if (commands.length === 0) continue;
    const trustState = await workspace.trust.trustState(commands, 'work');
    if (trustState.kind !== 'trusted') untrusted.push(`${what}, and ${describeState(trustState)}`);
  }
  return untrusted;
}

/** `step 'a'`, or `steps 'a', 'b'`; the first few of many. */
function listSteps(ids: readonly string[]): string {
  const few = ids.slice(0, 10).map((id) => `'${id}'`);
  const more = ids.length > few.length ? ` and ${ids.length - few.length} more` : '';
  return `${ids.length === 1 ? 'step' : 'steps'} ${few.join(', ')}${more}`;
}

async function requireTrust(
  { trust, paths }: Workspace,
  commands: readonly TrustedCommand[],
  what: string,
  where: RunsIn = 'project',
): Promise<void> {
  const trustState = await trust.trustState(commands, where);
  if (trustState.kind === 'trusted') return;
  const ask = `ask your user to look at them and run: deepwork trust --path ${paths.root}`;
  const differsInWorktree =
    where === 'work' && paths.work !== paths.root && trustState.kind === 'changed';
  throw refusedWith(
    UNTRUSTED,
    `${what}, and ${describeState(trustState)}`,
    differsInWorktree
      ? `restore that in ${paths.work}: only the project's own file is trusted.`
      : ask,
  );
}

function describeState(trustState: Exclude<TrustState, { kind: 'trusted' }>): string {
  switch (trustState.kind) {
    case 'unknown':
      return trustState.replaced
        ? 'this folder is not the one that was trusted at its path'
        : 'this project has not been trusted to run commands';
    case 'new':
      return `one of them is not what was trusted: ${describeCommand(trustState.command)}`;
    case 'changed': {
      const files = trustState.files.map((file) => file.path);
      const differ = files.length === 1 ? 'differs' : 'differ';
      return `${shown(files.join(', '))} ${differ} from what was trusted: ${describeCommand(trustState.command)}`;
    }
    case 'unbounded':
      return `one of them runs too many or too large files to compare: ${describeCommand(trustState.command)}`;
  }
}

function describeCommand({ name, run }: TrustedCommand): string {
  return `${shown(run)} (${name})`;
}

async function agentCommands(workspace: Workspace): Promise<TrustedCommand[]> {
  const team = await workspace.teamAgents([]);
  if (team.kind === 'broken') {
    throw refusedWith(
      'team_broken',
      `Could not read the team definition: ${team.file}: ${team.reason}`,
      `correct ${team.file} and try again.`,
    );
  }
  return team.agents.flatMap(({ name, command }) =>
    configCommand(workspace, agentName(name), command),
  );
}

function agentName(name: string): string {
  return `agent ${name}`;
}

function configCommand({ paths }: Workspace, name: string, run: string | null): TrustedCommand[] {
  return run === null ? [] : [{ file: paths.config, name, run }];
}

function checksOf(job: Definition, step: Step): TrustedCommand[] {
  const file = jobFileOf(job);
  const when = conditionOf(step);
  // The checks of an item of a `for_each` are those of its step.
  const id = stepIdOf(step.id);
  const workflows = job.workflows.filter((each) => isIn(each, id)).map(({ name }) => name);
  return step.checks.map(({ name, run, timeoutSeconds }) => ({
    file,
    name: `step ${id}, check ${name}`,
    run,
    check: { job: job.name, step: id, name, timeoutSeconds, when, workflows },
  }));
}

function untilsIn(job: Definition, loops: readonly LoopEntry[]): TrustedCommand[] {
  return loops.flatMap((loop) =>
    loop.until.kind === 'check' ? [untilCommand(job, loop, loop.until.check)] : [],
  );
}

function untilCommand(job: Definition, loop: LoopEntry, { name, run }: Check): TrustedCommand {
  return { file: jobFileOf(job), name: `loop ${loop.name}, check ${name}`, run };
}

/** The condition of a step in the form that is stored and compared. */
export function conditionOf({ when }: Step): string | null {
  return when === null ? null : JSON.stringify(when);
}

export function isIn(workflow: Workflow, stepId: string): boolean {
  return stepsOf(workflow).some(({ id }) => id === stepId);
}

export function jobFileOf(job: Definition): string {
  return path.join(job.dir, 'job.yml');
}
