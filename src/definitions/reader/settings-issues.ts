// Issues of settings files: `.deepwork/config.yml` and the front matter of `GOAL.md`. Each names
// its key as people write it (`team.agents[0].name`); they are in file order.

import type { Issue, Path } from '../../core/issue.ts';
import type { Source } from '../source/source.ts';
import { type IssueLog, inFileOrder, openIssueLog, withPlaces } from './issues.ts';

/** Further ones are mostly consequences of the first. */
const MAX_PROBLEMS = 100;

export function openSettingsLog(): IssueLog {
  return openIssueLog({ maxIssues: MAX_PROBLEMS });
}

export function closeSettingsLog(log: IssueLog, source: Source): readonly Issue[] {
  return withPlaces(inFileOrder(log.close(source)), keyOf).kept;
}

function keyOf(path: Path): string {
  const parts = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`));
  return parts.join('').replace(/^\./, '');
}
