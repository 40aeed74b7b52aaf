// Issues of a file of settings: `.deepwork/config.yml` and the front matter of `GOAL.md`. They
// are reported by key, as people write keys in sentences (`team.agents[0].name`), in the order of
// the file.

import type { Issue, Path } from '../../core/issue.ts';
import type { Source } from '../source/source.ts';
import { type IssueLog, inFileOrder, openIssueLog, withPlaces } from './issues.ts';

/** More would only fill a screen with consequences of the first ones. */
const MAX_PROBLEMS = 100;

export function openSettingsLog(): IssueLog {
  return openIssueLog({ most: MAX_PROBLEMS });
}

export function closeSettingsLog(log: IssueLog, source: Source): readonly Issue[] {
  return withPlaces(inFileOrder(log.close(source)), keyOf).kept;
}

function keyOf(path: Path): string {
  const parts = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`));
  return parts.join('').replace(/^\./, '');
}
