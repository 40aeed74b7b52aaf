// Judges definitions without running them, for `deepwork lint`. What is linted may be
// given as a `job.yml`, a job directory, a workflow file, a folder of jobs or of workflow
// files, or a project, of which both kinds are looked at.

import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { mapConcurrent } from '../async/map-concurrent.ts';
import { linkProblem, type ProblemOf } from '../files/project-path.ts';
import { systemWords } from '../files/system-words.ts';
import { discoverJobs } from './discovery.ts';
import { projectGuideFolders } from './guides/folders.ts';
import { EXTENSION } from './guides/guide-file.ts';
import { lintGuideFile, lintGuideFolders } from './guides/lint.ts';
import { JOB_FILE, LOAD_PREFIX, leadsOut, parseJobFile, readJobBytes } from './job-yml.ts';
import { type LintedFile, type LintReport, nothingToLint, summarise } from './lint-report.ts';
import { lintNames, MISNAMED_JOB, MISNAMED_JOB_FILE, misnamed } from './misnamed.ts';
import { SHAPE_PREFIX } from './shape-log.ts';

export interface LintFolders {
  /** Whose `.deepwork` is searched for names that are nearly right. */
  readonly project?: string;
  readonly jobs: readonly string[];
  readonly guides: readonly string[];
  /** Folders of a project that hold no definitions, and must not lead out of it either. */
  readonly others?: readonly string[];
  /** Asked of each folder and each job directory before it is read. */
  readonly problemOf?: ProblemOf;
  /** Files of settings, which are judged elsewhere. */
  readonly settings?: readonly LintedFile[];
}

const FILES_AT_ONCE = 8;
const PROJECT_FOLDER = '.deepwork';

/** Everything in the given folders; folders that do not exist are skipped. */
export async function lintFolders(folders: LintFolders): Promise<LintReport> {
  const { jobs, guides, others = [], problemOf = () => null, settings = [] } = folders;
  const found = await Promise.all(jobs.map((folder) => lintJobFolder(resolve(folder), problemOf)));
  const wrong = others.flatMap((folder) => {
    const problem = problemOf(folder);
    return problem === null ? [] : [nothingToLint(folder, problem)];
  });
  const linted = await lintGuideFolders(guides, problemOf);
  const names = folders.project === undefined ? [] : lintNames(folders.project, problemOf);
  return summarise([...settings, ...names, ...found.flat(), ...linted, ...wrong]);
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
    if (basename(path) === JOB_FILE) return [await lintJob(dirname(path), () => null)];
    if (path.endsWith(EXTENSION)) return [await lintGuideFile(path)];
    const why = `it is neither a folder, nor a ${JOB_FILE}, nor a workflow ${EXTENSION} file`;
    return [nothingToLint(path, why)];
  }
  if (await exists(join(path, JOB_FILE))) return [await lintJob(path, () => null)];
  const problemOf: ProblemOf = (folder) => linkProblem(path, folder);
  const ofProject = [
    ...lintNames(path, problemOf),
    ...(await lintJobFolder(join(path, PROJECT_FOLDER, 'jobs'), problemOf)),
    ...(await lintGuideFolders(projectGuideFolders(path), problemOf)),
  ];
  if (ofProject.length > 0) return ofProject;
  const jobs = await lintJobFolder(path, () => null);
  if (jobs.length > 0) return jobs;
  // The *.json files beside a `.deepwork` are whatever a project has at its root.
  const guides = (await exists(join(path, PROJECT_FOLDER))) ? [] : await lintGuideFolders([path]);
  if (guides.length > 0) return guides;
  return [nothingToLint(path, `there is no ${JOB_FILE} and no workflow ${EXTENSION} file in it`)];
}

async function lintJobFolder(folder: string, problemOf: ProblemOf): Promise<LintedFile[]> {
  const { places, troubles, misnamed: wrong } = discoverJobs([folder], problemOf);
  const linted = await mapConcurrent(places, FILES_AT_ONCE, ({ dir }) => lintJob(dir, problemOf));
  return [
    ...linted,
    ...wrong.map(({ dir }) => misnamed(join(dir, MISNAMED_JOB_FILE), MISNAMED_JOB)),
    ...troubles.map(({ why }) => nothingToLint(folder, why)),
  ];
}

/** One job, given by its directory. */
export async function lintJob(dir: string, problemOf: ProblemOf): Promise<LintedFile> {
  const problem = problemOf(dir);
  const bytes = problem === null ? await readJobBytes(dir, problemOf) : leadsOut(problem);
  const { problems, warnings } = await parseJobFile(dir, bytes);
  const kept = problems.kept.map((each) => ({ ...each, message: withoutPrefix(each.message) }));
  const file = join(dir, JOB_FILE);
  return { kind: 'job', file, problems: { kept, left: problems.left }, warnings };
}

/** Which file it is, and that something is wrong with it, is said before the message. */
function withoutPrefix(message: string): string {
  return message.replace(PREFIX, '');
}

const PREFIX = new RegExp(`^(?:${LOAD_PREFIX}|${SHAPE_PREFIX}(?:root: )?)`);

/** What stands at a path, or in words why nothing can be seen there. */
function look(path: string): Promise<Stats | string> {
  return stat(path).catch(systemWords);
}

async function exists(path: string): Promise<boolean> {
  return typeof (await look(path)) !== 'string';
}
