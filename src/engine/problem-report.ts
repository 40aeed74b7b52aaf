// Reports what is wrong with a settings file, and again only when that changes. A server continues
// with the valid settings, so this is how people learn of the others.

import { showInvisible } from '../core/invisible-characters.ts';
import type { Issue } from '../core/issue.ts';
import { writeIssues } from '../definitions/reader/issues.ts';

/** Returns the lines, also if they were reported before. */
export type ProblemReport = (file: string, problems: readonly Issue[]) => readonly string[];

export function openProblemReport(say: (line: string) => void): ProblemReport {
  const reported = new Map<string, string>();
  return (file, problems) => {
    const lines = writeIssues({ kept: problems, left: 0 }).map((line) => `${file}: ${line}`);
    const all = lines.join('\n');
    if (all !== (reported.get(file) ?? '')) {
      reported.set(file, all);
      for (const line of lines) say(showInvisible(line));
    }
    return lines;
  };
}
