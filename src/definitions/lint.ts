// Checks definitions and settings without running them, for `deepwork lint`. A path may be a
// `job.yml`, a job directory, a workflow file, a settings file, a folder of jobs or of workflow
// files, or a whole project.

import type { Stats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { mapConcurrent } from '../async/map-concurrent.ts';
import { linkProblem, type ProblemOf } from '../files/folder-links.ts';
import { decodeUtf8 } from '../files/read-contained.ts';
import { describeSystemError } from '../files/system-errors.ts';
import { projectGuideFolders } from './folders.ts';
import {
  GUIDE_EXTENSION,
  openGuideFile,
  openGuideFiles,
  readGuideBytes,
  troubleOf,
} from './guides/guide-file.ts';
import { checkDuplicate, indexGuides } from './guides/guide-index.ts';
import type { ParsedGuide } from './guides/guide-model.ts';
import { oddFieldsOf } from './guides/odd-fields.ts';
import { discoverJobs } from './jobs/discovery.ts';
import {
  JOB_FILE,
  type JudgeJob,
  parseJobFile,
  readJobBytes,
  unreadableLink,
} from './jobs/job-yml.ts';
import { lintInstructionFiles } from './lint-instructions.ts';
import { type LintedFile, type LintReport, nothingToLint, summarizeLint } from './lint-report.ts';
import { type KnownDefinitions, knownIn, lintRuns } from './lint-runs.ts';
import { lintLooseJobs, lintNames, lintNoJob, misnamedJob, misnamedJobIn } from './misnamed.ts';
import { judgeGuide } from './proofs/judge-guide.ts';
import { proveJob } from './proofs/prove-job.ts';
import { type IssueLog, inFileOrder, NO_ISSUES, openIssueLog } from './reader/issues.ts';
import { parseJson, readJson } from './source/json.ts';

/** Lints the settings files of a project. Passed in, because their readers import this folder. */
export type LintSettings = (projectRoot: string) => Promise<readonly LintedFile[]>;

export interface LintFolders {
  /** The project whose `.deepwork` is searched for misnamed files. */
  readonly project?: string;
  readonly jobs: readonly string[];
  readonly guides: readonly string[];
  /** Other folders of the project, which must not lead out of it either. */
  readonly others?: readonly string[];
  /** Called for each folder and each job directory before it is read. */
  readonly problemOf?: ProblemOf;
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
  const all = [...found.flat(), ...linted];
  const definitions = lintRuns(all, knownIn(all), true);
  return summarizeLint([...settings, ...names, ...definitions, ...wrong]);
}

/** All folders that a job in this folder can refer to; null if they are not known. */
export type FoldersAround = (jobsFolder: string) => LintFolders | null;

/** Only the given paths; one with nothing to lint is a problem. */
export async function lintPaths(
  paths: readonly string[],
  lintSettings: LintSettings,
  foldersAround: FoldersAround = () => null,
): Promise<LintReport> {
  const found = await Promise.all(paths.map((path) => lintPath(resolve(path), lintSettings)));
  const files = [...new Map(found.flat().map((linted) => [linted.file, linted])).values()];
  const given = knownIn(files);
  const around = new Map<string, KnownDefinitions | null>();
  const linted: LintedFile[] = [];
  for (const file of files) {
    const folder = dirname(dirname(file.file));
    if (file.kind === 'job' && !around.has(folder)) {
      const folders = foldersAround(folder);
      around.set(folder, folders && (await readDefinitions(folders)));
    }
    const all = around.get(folder) ?? null;
    linted.push(...lintRuns([file], all ?? given, all !== null));
  }
  return summarizeLint(linted);
}

/** Without linting them. */
async function readDefinitions({
  jobs,
  guides,
  problemOf = () => null,
}: LintFolders): Promise<KnownDefinitions> {
  const { places } = discoverJobs(jobs, problemOf);
  const read = await mapConcurrent(places, FILES_AT_ONCE, ({ dir }) => readJob(dir, problemOf));
  const ofGuides = await lintGuideFolders(guides, problemOf);
  return knownIn([...read, ...ofGuides]);
}

async function lintPath(path: string, lintSettings: LintSettings): Promise<readonly LintedFile[]> {
  const seen = await look(path);
  if (typeof seen !== 'string' && seen.isDirectory()) {
    const settings = await lintSettings(path);
    const files = await lintDirectory(path);
    // A project may have settings and nothing else.
    if (files.length > 0 || settings.length > 0) return [...settings, ...files];
    const misnamed = misnamedJobIn(path);
    const none = `there is no ${JOB_FILE} and no workflow ${GUIDE_EXTENSION} file in it`;
    return [nothingToLint(path, misnamed === null ? none : `${none}; ${misnamedJob(misnamed)}`)];
  }
  const isThere = typeof seen !== 'string';
  if (isThere && basename(path) === JOB_FILE) return lintWholeJob(dirname(path), () => null);
  if (isThere && path.endsWith(GUIDE_EXTENSION)) return [await lintGuideFile(path)];
  // Settings files are `GOAL.md` and `.deepwork/config.yml` of a project.
  for (const project of [dirname(path), dirname(dirname(path))]) {
    const settings = (await lintSettings(project)).filter(({ file }) => file === path);
    if (settings.length > 0) return settings;
  }
  const why = `it is neither a folder, nor a ${JOB_FILE}, nor a workflow ${GUIDE_EXTENSION} file`;
  return [nothingToLint(path, isThere ? why : seen)];
}

async function lintDirectory(path: string): Promise<LintedFile[]> {
  if (await exists(join(path, JOB_FILE))) return lintWholeJob(path, () => null);
  const problemOf: ProblemOf = (folder) => linkProblem(path, folder);
  const ofProject = [
    ...lintNames(path, problemOf),
    ...(await lintJobFolder(join(path, PROJECT_FOLDER, 'jobs'), problemOf)),
    ...(await lintGuideFolders(projectGuideFolders(path), problemOf)),
  ];
  if (ofProject.length > 0) return ofProject;
  const jobs = await lintJobFolder(path, () => null);
  if (jobs.some(({ kind }) => kind === 'job')) return jobs;
  // The *.json files at the root of a project are not workflows.
  return (await exists(join(path, PROJECT_FOLDER))) ? [] : lintGuideFolders([path], () => null);
}

async function lintJobFolder(folder: string, problemOf: ProblemOf): Promise<LintedFile[]> {
  const { places, troubles, others } = discoverJobs([folder], problemOf);
  const linted = await mapConcurrent(places, FILES_AT_ONCE, ({ dir }) =>
    lintWholeJob(dir, problemOf),
  );
  return [
    ...linted.flat(),
    ...others.flatMap(({ dir }) => lintNoJob(dir)),
    ...(problemOf(folder) === null ? lintLooseJobs(folder) : []),
    ...troubles.map(({ why }) => nothingToLint(folder, why)),
  ];
}

/** The `job.yml` of a job, given by its directory. */
export async function lintJob(dir: string, problemOf: ProblemOf): Promise<LintedFile> {
  return readJob(dir, problemOf, proveJob());
}

/** With the files of instructions of which there is something to say. */
async function lintWholeJob(dir: string, problemOf: ProblemOf): Promise<LintedFile[]> {
  const linted = await lintJob(dir, problemOf);
  const job = linted.known?.job;
  return job === undefined ? [linted] : [linted, ...(await lintInstructionFiles(job))];
}

export async function readJob(
  dir: string,
  problemOf: ProblemOf,
  judge?: JudgeJob,
): Promise<LintedFile> {
  const problem = problemOf(dir);
  const bytes = problem === null ? await readJobBytes(dir, problemOf) : unreadableLink(problem);
  const { problems, warnings, declaredName, job, runs } = await parseJobFile(dir, bytes, judge);
  // Parsing orders problems by check; people fix a file from top to bottom.
  const sorted = { problems: inFileOrder(problems), warnings: inFileOrder(warnings) };
  const known = {
    name: declaredName ?? basename(dir),
    workflows: job?.workflows ?? null,
    runs: job === null ? [] : runs,
    ...(job !== null && { job }),
  };
  return { kind: 'job', file: join(dir, JOB_FILE), ...sorted, known };
}

/** Every file is linted, including files hidden by an earlier folder. */
async function lintGuideFolders(
  folders: readonly string[],
  problemOf: ProblemOf,
): Promise<LintedFile[]> {
  const linted: LintedFile[] = [];
  for (const folder of new Set(folders.map((path) => resolve(path)))) {
    const watchFrom = Number.POSITIVE_INFINITY;
    const views = await openGuideFiles({ folders: () => [folder], problemOf, watchFrom }).look(
      'all',
    );
    const losers = new Set(indexGuides(views).losers);
    for (const view of views) {
      for (const file of view.files) {
        const checked = losers.has(file) ? await checkDuplicate(file) : await file.check();
        const known = { name: file.id, workflows: 'any' as const, runs: [] };
        linted.push({ ...(await lintedGuide(file.file, checked)), known });
      }
      const trouble = troubleOf(view);
      if (trouble !== null) linted.push(nothingToLint(folder, trouble));
    }
  }
  return linted;
}

/** One existing file, without the others of its folder. */
export async function lintGuideFile(file: string): Promise<LintedFile> {
  const content = readGuideBytes(await realpath(dirname(file)), file);
  return lintedGuide(file, await openGuideFile(file, content).check());
}

async function lintedGuide(file: string, checked: ParsedGuide): Promise<LintedFile> {
  const content = readGuideBytes(await realpath(dirname(file)), file);
  const text = (content.kind === 'read' ? decodeUtf8(content.bytes) : null) ?? '';
  const proved = openIssueLog();
  const faults = checked.kind === 'guide' ? judgeGuide(checked.guide.source) : [];
  for (const { code, path, message, proof } of faults)
    proved.add(code, path, message, 'key', proof);
  // Positions are looked up only if there is something to report.
  const place = async (log: IssueLog) =>
    log.found === 0 ? NO_ISSUES : inFileOrder(log.close(await readJson(text)));
  const warnings = await place(oddFieldsOf(parseJson(text).value));
  if (checked.kind === 'guide')
    return { kind: 'guide', file, problems: await place(proved), warnings };
  const { problems: kept, left, stopped } = checked;
  return { kind: 'guide', file, problems: { kept, left, stopped }, warnings };
}

/** The file's stats, or the reason why there are none. */
function look(path: string): Promise<Stats | string> {
  return stat(path).catch(describeSystemError);
}

async function exists(path: string): Promise<boolean> {
  return typeof (await look(path)) !== 'string';
}
