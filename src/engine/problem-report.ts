// Says what is wrong with a file of settings once, and again when it is something else. A
// server goes on with what is sound, so this is how its person learns of the rest.

import { showInvisible } from '../core/invisible.ts';
import type { Issue } from '../core/issue.ts';
import { writeIssues } from '../definitions/reader/issues.ts';

/** Gives the lines, whether they were said before or not. */
export type ProblemReport = (file: string, problems: readonly Issue[]) => readonly string[];

export function openProblemReport(say: (line: string) => void): ProblemReport {
  const said = new Map<string, string>();
  return (file, problems) => {
    const lines = writeIssues({ kept: problems, left: 0 }).map((line) => `${file}: ${line}`);
    const all = lines.join('\n');
    if (all !== (said.get(file) ?? '')) {
      said.set(file, all);
      for (const line of lines) say(showInvisible(line));
    }
    return lines;
  };
}
