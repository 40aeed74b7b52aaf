// What `deepwork lint` reports, whatever kind of definition it looked at: plain data, file
// by file, with every problem and warning at its line and column.

import type { PlacedRun } from './jobs/job-yml.ts';
import { type Issues, NO_ISSUES, oneIssue } from './reader/issues.ts';

export interface LintReport {
  readonly files: readonly LintedFile[];
  readonly jobs: number;
  readonly guides: number;
  /** Totals over all files, those beyond the kept ones included. */
  readonly problems: number;
  readonly warnings: number;
}

export interface LintedFile {
  /** Null: there is nothing here that could be judged. */
  readonly kind: 'job' | 'guide' | 'settings' | 'instructions' | null;
  /** Absolute path of the definition, or of what was given in its place. */
  readonly file: string;
  readonly problems: Issues;
  readonly warnings: Issues;
  /** Of a job or a guide: what others know it by, and what it runs itself. */
  readonly known?: KnownDefinition;
}

export interface KnownDefinition {
  readonly name: string;
  /** Null where any will do, or none could be read. */
  readonly workflows: readonly string[] | null;
  readonly runs: readonly PlacedRun[];
}

export function summarise(files: readonly LintedFile[]): LintReport {
  const total = (pick: (file: LintedFile) => Issues) =>
    files.reduce((sum, file) => sum + pick(file).kept.length + pick(file).left, 0);
  return {
    files,
    jobs: files.filter(({ kind }) => kind === 'job').length,
    guides: files.filter(({ kind }) => kind === 'guide').length,
    problems: total((file) => file.problems),
    warnings: total((file) => file.warnings),
  };
}

export function nothingToLint(path: string, why: string): LintedFile {
  const problems = oneIssue('nothing_to_lint', `Nothing to lint here: ${why}`);
  return { kind: null, file: path, problems, warnings: NO_ISSUES };
}
