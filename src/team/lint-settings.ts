// Judges the settings of a project for `deepwork lint`: `.deepwork/config.yml` and the front
// matter of `GOAL.md`. What a running server reports about them comes from here, too.

import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Refused } from '../core/refusal.ts';
import { lintPaths } from '../definitions/lint.ts';
import { type LintedFile, type LintReport, summarise } from '../definitions/lint-report.ts';
import { asFindings, type SettingProblem } from '../definitions/settings-log.ts';
import { type Config, openConfig } from '../environment/config.ts';
import { CONFIG_FILE, GOAL_FILE, openGoal, type ReadGoal } from './agents.ts';

export interface SettingsFile {
  /** Below the project. */
  readonly file: string;
  readonly problems: readonly SettingProblem[];
}

/** Both files, whether they are there or not. */
export async function readSettingsFiles(
  config: () => Promise<Config>,
  goal: ReadGoal,
): Promise<SettingsFile[]> {
  const ofConfig = await config().then(
    ({ problems }) => problems,
    (error: unknown) => {
      if (!(error instanceof Refused)) throw error;
      return [{ message: error.message, line: 1, column: 1, path: [] }];
    },
  );
  return [
    { file: CONFIG_FILE, problems: ofConfig },
    { file: GOAL_FILE, problems: (await goal()).problems },
  ];
}

/** The files of settings that a project has. */
export async function lintSettings(projectRoot: string): Promise<LintedFile[]> {
  const root = resolve(projectRoot);
  const found = await readSettingsFiles(openConfig(root, join(root, CONFIG_FILE)), openGoal(root));
  return found
    .filter(({ file, problems }) => problems.length > 0 || existsSync(join(root, file)))
    .map(({ file, problems }) => ({
      kind: 'settings',
      file: join(root, file),
      problems: asFindings(problems.filter(({ isWarning }) => !isWarning)),
      warnings: asFindings(problems.filter(({ isWarning }) => isWarning)),
    }));
}

/** What was asked for by path: definitions, files of settings, or a project with both. */
export async function lintGiven(paths: readonly string[]): Promise<LintReport> {
  const all = await Promise.all(paths.map((path) => lintOne(resolve(path))));
  return summarise([...new Map(all.flat().map((each) => [each.file, each])).values()]);
}

async function lintOne(path: string): Promise<readonly LintedFile[]> {
  const { files } = await lintPaths([path]);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    const own = (await lintSettings(projectOf(path))).filter(({ file }) => file === path);
    return own.length > 0 ? own : files;
  }
  const settings = await lintSettings(path);
  // A project may have settings and nothing else.
  const nothing = files.length === 1 && files[0]?.kind === null && files[0].file === path;
  return settings.length > 0 && nothing ? settings : [...settings, ...files];
}

function projectOf(path: string): string {
  return basename(path) === GOAL_FILE ? dirname(path) : dirname(dirname(path));
}
