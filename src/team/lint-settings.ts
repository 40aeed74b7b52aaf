// Validates the settings of a project for `deepwork lint`: `.deepwork/config.yml` and the
// front matter of `GOAL.md`. A running server reports the same problems.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Issue } from '../core/issue.ts';
import { Refused } from '../core/refusal.ts';
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
  const found = await readSettingsFiles(openConfig(root, join(root, CONFIG_FILE)), openGoal(root));
  return found
    .filter(({ file, problems }) => problems.length > 0 || existsSync(join(root, file)))
    .map(({ file, problems }) => ({
      kind: 'settings',
      file: join(root, file),
      problems: { kept: problems.filter((issue) => !isWarning(issue)), left: 0 },
      warnings: { kept: problems.filter(isWarning), left: 0 },
    }));
};
