// Judges definitions without running them, for `deepwork lint`. What is linted may be
// given as a `job.yml`, a job directory, a workflow file, a folder of jobs or of workflow
// files, or a project, of which both kinds are looked at.

import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { systemWords } from './contained-file.ts';
import { discoverJobs } from './discovery.ts';
import { projectGuideFolders } from './guides/folders.ts';
import { EXTENSION } from './guides/guide-file.ts';
import { lintGuideFile, lintGuideFolders } from './guides/lint.ts';
import { inParallel } from './in-parallel.ts';
import { JOB_FILE, parseJobFile, readJobBytes } from './job-yml.ts';
import { type LintedFile, type LintReport, nothingToLint, summarise } from './lint-report.ts';

export interface LintFolders {
  readonly jobs: readonly string[];
  readonly guides: readonly string[];
}

const FILES_AT_ONCE = 8;
const PROJECT_FOLDER = '.deepwork';

/** Everything in the given folders; folders that do not exist are skipped. */
export async function lintFolders({ jobs, guides }: LintFolders): Promise<LintReport> {
  const found = await Promise.all(jobs.map((folder) => lintJobFolder(resolve(folder))));
  return summarise([...found.flat(), ...(await lintGuideFolders(guides))]);
}

/** Exactly what was asked for: a path at which there is nothing is a problem. */
export async function lintPaths(paths: readonly string[]): Promise<LintReport> {
  const found = await Promise.all(paths.map((path) => lintPath(resolve(path))));
  const once = new Map(found.flat().map((linted) => [linted.file, linted]));
  return summarise([...once.values()]);
}

async function lintPath(path: string): Promise<LintedFile[]> {
  const seen = await look(path);
  if (typeof seen === 'string') return [nothingToLint(path, seen)];
  if (!seen.isDirectory()) {
    if (basename(path) === JOB_FILE) return [await lintJob(dirname(path))];
    if (path.endsWith(EXTENSION)) return [await lintGuideFile(path)];
    const why = `it is neither a folder, nor a ${JOB_FILE}, nor a workflow ${EXTENSION} file`;
    return [nothingToLint(path, why)];
  }
  if (await exists(join(path, JOB_FILE))) return [await lintJob(path)];
  const ofProject = [
    ...(await lintJobFolder(join(path, PROJECT_FOLDER, 'jobs'))),
    ...(await lintGuideFolders(projectGuideFolders(path))),
  ];
  if (ofProject.length > 0) return ofProject;
  const jobs = await lintJobFolder(path);
  if (jobs.length > 0) return jobs;
  // The *.json files beside a `.deepwork` are whatever a project has at its root.
  const guides = (await exists(join(path, PROJECT_FOLDER))) ? [] : await lintGuideFolders([path]);
  if (guides.length > 0) return guides;
  return [nothingToLint(path, `there is no ${JOB_FILE} and no workflow ${EXTENSION} file in it`)];
}

async function lintJobFolder(folder: string): Promise<LintedFile[]> {
  const { places, troubles } = discoverJobs([folder]);
  const linted = await inParallel(places, FILES_AT_ONCE, ({ dir }) => lintJob(dir));
  return [...linted, ...troubles.map(({ why }) => nothingToLint(folder, why))];
}

async function lintJob(dir: string): Promise<LintedFile> {
  const { problems, warnings } = await parseJobFile(dir, await readJobBytes(dir));
  return { kind: 'job', file: join(dir, JOB_FILE), problems, warnings };
}

/** What stands at a path, or in words why nothing can be seen there. */
function look(path: string): Promise<Stats | string> {
  return stat(path).catch(systemWords);
}

async function exists(path: string): Promise<boolean> {
  return typeof (await look(path)) !== 'string';
}
