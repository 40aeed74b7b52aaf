// Validates the settings of a project for `deepwork lint`: `.deepwork/config.yml` and the
// front matter of `GOAL.md`. A running server reports the same problems.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Issue } from '../core/issue.ts';
import { Refused } from '../core/refusal.ts';
import type { Agent } from '../core/team/agents.ts';
import { COORDINATOR } from '../core/team/caller.ts';
import type { LintSettings } from '../definitions/lint.ts';
import { isWarning, oneIssue } from '../definitions/reader/issues.ts';
import { type Config, openConfig } from '../environment/settings/config.ts';
import { CONFIG_FILE, GOAL_FILE, openGoal, type ReadGoal } from './agents.ts';

export interface SettingsFile {
  /** Relative to the project. */
  readonly file: string;
  readonly problems: readonly Issue[];
}

/** Both files, whether they exist or not. */
export async function readSettingsFiles(
  config: () => Promise<Config>,
  goal: ReadGoal,
): Promise<SettingsFile[]> {
  const ofConfig = await config().then(
    ({ problems }) => problems,
    (error: unknown) => {
      if (!(error instanceof Refused)) throw error;
      return oneIssue('unreadable', error.message).kept;
    },
  );
  return [
    { file: CONFIG_FILE, problems: ofConfig },
    { file: GOAL_FILE, problems: (await goal()).problems },
  ];
}

/** The settings files that exist in a project. */
export const lintSettings: LintSettings = async (projectRoot) => {
  const root = resolve(projectRoot);
  const [config, goal] = [openConfig(root, join(root, CONFIG_FILE)), openGoal(root)];
  const replaced = await replacedAgents(config, goal);
  const found = await readSettingsFiles(config, goal);
  return found
    .map(({ file, problems }) => {
      return { file, problems: file === GOAL_FILE ? [...problems, ...replaced] : problems };
    })
    .filter(({ file, problems }) => problems.length > 0 || existsSync(join(root, file)))
    .map(({ file, problems }) => ({
      kind: 'settings',
      file: join(root, file),
      problems: { kept: problems.filter((issue) => !isWarning(issue)), left: 0 },
      warnings: { kept: problems.filter(isWarning), left: 0 },
    }));
};

/** A warning if both files name agents, and not the same: then those of `GOAL.md` do not count. */
async function replacedAgents(
  config: () => Promise<Config>,
  goal: ReadGoal,
): Promise<readonly Issue[]> {
  const configured = await config().then(
    ({ team }) => team.agents,
    () => null,
  );
  const planned = await goal();
  if (configured === null || planned.kind !== 'agents') return [];
  const [counted, ignored] = [membersOf(configured), membersOf(planned.agents)];
  if (JSON.stringify(counted) === JSON.stringify(ignored)) return [];
  const names = (members: typeof counted) => members.map(([name]) => name).join(', ') || 'none';
  const message = `flow and models have no effect: team.agents of ${CONFIG_FILE} (${names(counted)}) replaces the agents named here (${names(ignored)})`;
  return oneIssue('no_effect', message).kept;
}

/** Sorted. The coordinator belongs to every team, so it counts only if models are chosen for it. */
function membersOf(agents: readonly Agent[]): (readonly [string, ...string[]])[] {
  return agents
    .filter(({ name, models }) => name !== COORDINATOR || models.length > 0)
    .map(({ name, models }) => [name, ...models] as const)
    .sort();
}
