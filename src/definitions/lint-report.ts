// The report of `deepwork lint` for all kinds of definitions: plain data, file by file, with every
// problem and warning at its line and column.

import type { Job, Workflow } from '../core/workflow.ts';
import type { PlacedRun } from './jobs/placed-runs.ts';
import { type Issues, NO_ISSUES, oneIssue } from './reader/issues.ts';

export interface LintReport {
  readonly files: readonly LintedFile[];
  readonly jobs: number;
  readonly guides: number;
  /** Totals over all files, including those that are only counted. */
  readonly problems: number;
  readonly warnings: number;
}

export interface LintedFile {
  /** Null if there is nothing to lint. */
  readonly kind: 'job' | 'guide' | 'settings' | 'instructions' | null;
  /** Absolute path of the definition, or the path that was given instead. */
  readonly file: string;
  readonly problems: Issues;
  readonly warnings: Issues;
  /** For a job or a guide: its name and workflows for others, and what it runs itself. */
  readonly known?: KnownDefinition;
}

export interface KnownDefinition {
  readonly name: string;
  /** `any`: a guide, which accepts any name and no inputs. Null if none could be read. */
  readonly workflows: readonly Workflow[] | 'any' | null;
  readonly runs: readonly PlacedRun[];
  /** Set for a job that could be read. */
  readonly job?: Job;
}

export function summarizeLint(files: readonly LintedFile[]): LintReport {
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
