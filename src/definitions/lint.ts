// Judges jobs without running them, for `deepwork lint`: plain data, file by file, with
// every problem and warning at its line and column. What is linted may be given as a
// `job.yml`, a job directory, a folder of jobs or a project.

import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { systemWords } from './contained-file.ts';
import { discoverJobs } from './discovery.ts';
import type { Finding, Findings } from './finding.ts';
import { inParallel } from './in-parallel.ts';
import { JOB_FILE, parseJobFile, readJobBytes } from './job-yml.ts';

export interface LintReport {
  readonly files: readonly LintedFile[];
  /** Totals over all files, those beyond the kept ones included. */
  readonly problems: number;
  readonly warnings: number;
}

export interface LintedFile {
  /** Absolute path of a `job.yml`, or of what was given in its place. */
  readonly file: string;
  readonly problems: Findings;
  readonly warnings: Findings;
}

const FILES_AT_ONCE = 8;
const PROJECT_JOBS = join('.deepwork', 'jobs');

/** Everything in the given folders of jobs; folders that do not exist are skipped. */
export async function lintFolders(folders: readonly string[]): Promise<LintReport> {
  const found = await Promise.all(folders.map((folder) => lintFolder(resolve(folder))));
  return summarise(found.flat());
}

/** Exactly what was asked for: a path at which there is nothing is a problem. */
export async function lintPaths(paths: readonly string[]): Promise<LintReport> {
  const found = await Promise.all(paths.map((path) => lintPath(resolve(path))));
  const once = new Map(found.flat().map((linted) => [linted.file, linted]));
  return summarise([...once.values()]);
}

async function lintPath(path: string): Promise<LintedFile[]> {
  const seen = await look(path);
  if (typeof seen === 'string') return [trouble(path, seen)];
  if (!seen.isDirectory()) {
    if (basename(path) === JOB_FILE) return [await lintJob(dirname(path))];
    return [trouble(path, 'it is neither a folder nor a job.yml')];
  }
  if (typeof (await look(join(path, JOB_FILE))) !== 'string') return [await lintJob(path)];
  for (const folder of [join(path, PROJECT_JOBS), path]) {
    const linted = await lintFolder(folder);
    if (linted.length > 0) return linted;
  }
  return [trouble(path, 'there is no job.yml in it')];
}

async function lintFolder(folder: string): Promise<LintedFile[]> {
  const { places, troubles } = await discoverJobs([folder]);
  const linted = await inParallel(places, FILES_AT_ONCE, ({ dir }) => lintJob(dir));
  return [...linted, ...troubles.map(({ why }) => trouble(folder, why))];
}

async function lintJob(dir: string): Promise<LintedFile> {
  const { problems, warnings } = await parseJobFile(dir, await readJobBytes(dir));
  return { file: join(dir, JOB_FILE), problems, warnings };
}

/** What stands at a path, or in words why nothing can be seen there. */
function look(path: string): Promise<Stats | string> {
  return stat(path).catch(systemWords);
}

function trouble(path: string, why: string): LintedFile {
  const problem: Finding = { message: `Nothing to lint here: ${why}`, line: 1, column: 1 };
  const none: Findings = { kept: [], left: 0 };
  return { file: path, problems: { kept: [problem], left: 0 }, warnings: none };
}

function summarise(files: readonly LintedFile[]): LintReport {
  const total = (pick: (file: LintedFile) => Findings) =>
    files.reduce((sum, file) => sum + pick(file).kept.length + pick(file).left, 0);
  return { files, problems: total((f) => f.problems), warnings: total((f) => f.warnings) };
}
