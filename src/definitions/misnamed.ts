// Files and folders that are not read because their names are slightly wrong, or because they are in the
// wrong place. Only names are looked at; no file is opened.

import { opendirSync } from 'node:fs';
import { join } from 'node:path';
import { nearest } from '../core/nearest.ts';
import { entryAt } from '../files/entry.ts';
import type { ProblemOf } from '../files/folder-links.ts';
import type { LintedFile } from './lint-report.ts';
import { NO_ISSUES, oneIssue } from './reader/issues.ts';

const CONFIG = 'config.yml';
const JOB = 'job.yml';
const A_JOB_IS = `is not read; a job is .deepwork/jobs/<name>/${JOB}`;

/** Folders in `.deepwork` that are not read, and what was meant. */
const FOLDERS: Readonly<Record<string, string>> = {
  job: 'jobs are in .deepwork/jobs',
  workflow: 'guides are in .deepwork/workflows',
  guides: 'guides are in .deepwork/workflows',
};

/** The misnamed files and folders in `.deepwork`. */
export function lintNames(projectRoot: string, problemOf: ProblemOf): LintedFile[] {
  const own = join(projectRoot, '.deepwork');
  if (problemOf(own) !== null) return [];
  const files = (yamlIn(own) ?? []).flatMap((name) => {
    const meant = name === CONFIG ? null : nearest(name, [CONFIG, JOB]);
    if (meant === null) return [];
    const why = meant === JOB ? A_JOB_IS : `is not read; rename it to ${CONFIG}`;
    return [misnamed(join(own, name), `${name} ${why}`)];
  });
  const folders = Object.entries(FOLDERS).flatMap(([name, what]) => {
    const isFolder = entryAt(join(own, name))?.isDirectory() ?? false;
    return isFolder ? [misnamed(join(own, name), `${name} is not read; ${what}`)] : [];
  });
  return [...files, ...folders];
}

/** Files that are in a folder of jobs, and not in the folder of a job. */
export function lintLooseJobs(jobs: string): LintedFile[] {
  return (yamlIn(jobs) ?? []).map((name) => misnamed(join(jobs, name), `${name} ${A_JOB_IS}`));
}

/** A directory among the jobs that has no `job.yml`. */
export function lintNoJob(dir: string): LintedFile[] {
  const name = misnamedJobIn(dir);
  if (name !== null) return [misnamed(join(dir, name), misnamedJob(name))];
  const message = `There is no ${JOB} in this folder, so it is no job`;
  return yamlIn(dir) === null ? [] : [misnamed(dir, message)];
}

function misnamed(file: string, message: string): LintedFile {
  return { kind: null, file, problems: NO_ISSUES, warnings: oneIssue('misnamed_file', message) };
}

export function misnamedJob(name: string): string {
  return `${name} is not read; rename it to ${JOB}`;
}

/** The file of a directory without a `job.yml` that was meant as one; null if there is none. */
export function misnamedJobIn(dir: string): string | null {
  const found = yamlIn(dir) ?? [];
  return nearest(JOB, found) ?? found[0] ?? null;
}

/** A folder with more entries was not made for a job. */
const MAX_ENTRIES = 1000;

/** Null if it is not a folder that can be read. */
function yamlIn(path: string): readonly string[] | null {
  try {
    const folder = opendirSync(path);
    const found: string[] = [];
    let entry = folder.readSync();
    for (let count = 0; entry !== null && count < MAX_ENTRIES; count += 1) {
      if (/^[^.].*\.ya?ml$/i.test(entry.name)) found.push(entry.name);
      entry = folder.readSync();
    }
    folder.closeSync();
    return found.sort();
  } catch {
    return null;
  }
}
