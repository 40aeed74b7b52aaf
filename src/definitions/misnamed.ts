// Files and folders that are not read because their names are slightly wrong. Only names are
// checked; nothing is opened or followed.

import { join } from 'node:path';
import { entryAt } from '../files/entry.ts';
import type { ProblemOf } from '../files/folder-links.ts';
import type { LintedFile } from './lint-report.ts';
import { NO_ISSUES, oneIssue } from './reader/issues.ts';

export const MISNAMED_JOB_FILE = 'job.yaml';
export const MISNAMED_JOB = `${MISNAMED_JOB_FILE} is not read; rename it to job.yml`;

interface Misnamed {
  readonly name: string;
  readonly isFolder: boolean;
  readonly message: string;
}

const OF_PROJECT: readonly Misnamed[] = [
  { name: 'config.yaml', isFolder: false, message: 'is not read; rename it to config.yml' },
  {
    name: 'job.yml',
    isFolder: false,
    message: 'is not read; a job is .deepwork/jobs/<name>/job.yml',
  },
  {
    name: 'job.yaml',
    isFolder: false,
    message: 'is not read; a job is .deepwork/jobs/<name>/job.yml',
  },
  { name: 'job', isFolder: true, message: 'is not read; jobs are in .deepwork/jobs' },
  { name: 'workflow', isFolder: true, message: 'is not read; guides are in .deepwork/workflows' },
  { name: 'guides', isFolder: true, message: 'is not read; guides are in .deepwork/workflows' },
];

/** The misnamed files and folders in `.deepwork`. */
export function lintNames(projectRoot: string, problemOf: ProblemOf): LintedFile[] {
  const own = join(projectRoot, '.deepwork');
  if (problemOf(own) !== null) return [];
  return OF_PROJECT.flatMap(({ name, isFolder, message }) => {
    const entry = entryAt(join(own, name));
    const fits = entry !== null && entry.isDirectory() === isFolder;
    return fits ? [misnamed(join(own, name), `${name} ${message}`)] : [];
  });
}

export function misnamed(file: string, message: string): LintedFile {
  return { kind: null, file, problems: NO_ISSUES, warnings: oneIssue('misnamed_file', message) };
}

/** Whether a directory without a `job.yml` has a file that was meant as one. */
export function hasMisnamedJob(dir: string): boolean {
  return entryAt(join(dir, MISNAMED_JOB_FILE)) !== null;
}
