// Collects what is wrong with a file of settings, each with its place: `.deepwork/config.yml`
// and the front matter of `GOAL.md`. Problems are told by key, as people write keys in
// sentences (`team.agents[0].name`), in the order of the file.

import { type Finding, type Findings, openFindingLog, type Position } from './finding.ts';
import type { ShapeReport } from './read-fields.ts';
import { cut } from './wording.ts';
import type { Path } from './yaml-node.ts';

/** More would only fill a screen with consequences of the first ones. */
const MAX_PROBLEMS = 100;
const MAX_PATH_PARTS = 16;

export interface SettingProblem extends Finding {
  readonly path: Path;
  /** It is odd, and holds all the same. */
  readonly isWarning?: boolean;
}

export interface SettingsLog extends ShapeReport {
  /** In the order of the file. */
  close(): readonly SettingProblem[];
}

export function openSettingsLog(positionOf: (offset: number) => Position): SettingsLog {
  const found = openFindingLog(MAX_PROBLEMS);
  const more: Pick<SettingProblem, 'path' | 'isWarning'>[] = [];
  const note = (isWarning: boolean): ShapeReport['add'] => {
    return (path, at, problem) => {
      const key = keyOf(path);
      found.add(key === '' ? problem : `${key}: ${problem}`, positionOf(at));
      more.push({ path, isWarning });
    };
  };
  return {
    add: note(false),
    warn: note(true),
    full: found.full,
    close: () =>
      found.kept
        .map((finding, index) => ({ path: [], ...finding, ...more[index] }))
        .sort((one, other) => one.line - other.line || one.column - other.column),
  };
}

export function asFindings(problems: readonly SettingProblem[]): Findings {
  const findings = openFindingLog(MAX_PROBLEMS);
  for (const problem of problems) findings.add(problem.message, problem);
  return findings;
}

function keyOf(path: Path): string {
  return path
    .slice(0, MAX_PATH_PARTS)
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${cut(part, 60)}`))
    .join('')
    .replace(/^\./, '');
}
