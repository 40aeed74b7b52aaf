// Reads one job directory: its `job.yml`, and the instruction files that it names.
// Every problem of the file is collected in one go, in a fixed order: loading, shape,
// then the numbered checks. A job is only handed out when there is none.

import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { mapConcurrent } from '../../async/map-concurrent.ts';
import { pauseIfDue } from '../../async/slices.ts';
import type { TextPosition } from '../../core/issue.ts';
import type { Criteria } from '../../core/rules.ts';
import type { Job } from '../../core/workflow.ts';
import { type Fingerprint, NOTHING, takeFingerprint } from '../../files/fingerprint.ts';
import type { ProblemOf } from '../../files/folder-links.ts';
import { isInside } from '../../files/inside.ts';
import { type ContainedFile, decodeUtf8, readContained } from '../../files/read-contained.ts';
import { addFaults, type Located } from '../reader/fields.ts';
import {
  type IssueLog,
  type Issues,
  inFileOrder,
  joinIssues,
  NO_ISSUES,
  oneIssue,
  openIssueLog,
  type Report,
  TEXT_START,
  withPlaces,
  writeIssue,
  writeIssues,
} from '../reader/issues.ts';
import { locate, type Node, plainValue } from '../source/node.ts';
import { endOfUtf8 } from '../source/utf8.ts';
import { readYaml } from '../source/yaml.ts';
import { cut } from '../wording.ts';
import { type ArgumentRules, makeArgumentJob } from './argument-model.ts';
import { checkArguments, warnAboutArguments } from './argument-references.ts';
import {
  type Argument,
  type ArgumentJob,
  isArgumentStyle,
  readArgumentStyle,
} from './argument-style.ts';
import { describeFault, openInstructions } from './instructions.ts';
import { type CompiledRules, type JobOrigin, makeJob } from './job-model.ts';
import type {
  ParsedJob,
  ParsedOutput,
  ParsedUntilRules,
  ParsedWorkflow,
  WrittenRun,
} from './parsed-job.ts';
import { checkAfterInstructions, checkBeforeInstructions } from './references.ts';
import { readShape } from './shape.ts';
import { runsInArguments } from './sub-workflow.ts';
import { warnAbout } from './warnings.ts';
import { leafEntriesOf, loopsIn } from './workflow-entry.ts';

export type LoadedJob =
  | { readonly kind: 'job'; readonly job: Job; readonly warnings: string[] }
  | {
      readonly kind: 'broken';
      readonly declaredName: string | null;
      readonly problems: string[];
    };

/** All that is known of one `job.yml` after reading it. */
export interface JobFile {
  readonly dir: string;
  /** Null when there are problems. */
  readonly job: Job | null;
  readonly declaredName: string | null;
  readonly nameAt: TextPosition;
  readonly problems: Issues;
  /** The same problems; answers say first what it was that failed, lint's readers know. */
  readonly answered: Issues;
  readonly warnings: Issues;
  /** The workflows that its own run. */
  readonly runs: readonly PlacedRun[];
  /** What else its verdict depends on, as it was just before it was looked at. */
  readonly dependsOn: readonly { readonly path: string; readonly print: Fingerprint }[];
  /** False when a passing trouble such as a missing permission had a part in it. */
  readonly lasting: boolean;
}

export interface PlacedRun extends WrittenRun {
  readonly at: TextPosition;
}

export const JOB_FILE = 'job.yml';
const MAX_BYTES = 1024 * 1024;
const FILES_AT_ONCE = 16;

export async function loadJob(dir: string): Promise<LoadedJob> {
  const absolute = resolve(dir);
  return describeJobFile(await parseJobFile(absolute, await readJobBytes(absolute, () => null)));
}

export function describeJobFile(file: JobFile): LoadedJob {
  if (file.job) {
    return { kind: 'job', job: file.job, warnings: file.warnings.kept.map(writeIssue) };
  }
  const { declaredName, answered } = file;
  return { kind: 'broken', declaredName, problems: writeIssues(answered) };
}

/**
 * A `job.yml` may be a link, but only to a place within its jobs folder; and where the
 * directory is a link, the folder around its end may be larger than the project.
 */
export async function readJobBytes(dir: string, problemOf: ProblemOf): Promise<ContainedFile> {
  const file = join(dir, JOB_FILE);
  const realDir = await realpath(dir).catch(() => resolve(dir));
  const read = readContained(dirname(realDir), file, MAX_BYTES);
  const problem = read.kind === 'read' ? problemOf(file) : null;
  return problem === null ? read : leadsOut(problem);
}

/** Where jobs may be that the project's own folder must not lead to. */
export const NAME_IT_INSTEAD =
  'remove the link; a folder of jobs elsewhere can be named in DEEPWORK_ADDITIONAL_JOBS_FOLDERS';

/** In place of the content: the directory leads to where it must not be read. */
export function leadsOut(problem: string): ContainedFile {
  return { kind: 'unreadable', why: `${problem}; ${NAME_IT_INSTEAD}` };
}

/** A job as it stands in its file. */
export interface WrittenJob {
  /** Null for a way of writing that has no steps of its own. */
  readonly draft: ParsedJob | null;
  readonly root: Node;
  readonly text: string;
}

/** Judges a job whose parts all fit together. */
export type JudgeJob = (
  job: Job,
  written: WrittenJob,
) => { readonly problems: IssueLog; readonly warnings: IssueLog };

/** `judge`: for lint, which also asks what happens on the paths through a sound job. */
export async function parseJobFile(
  dir: string,
  file: ContainedFile,
  judge?: JudgeJob,
): Promise<JobFile> {
  const unloaded = (loading: Issues, other: Issues = NO_ISSUES): JobFile => ({
    ...{ dir, job: null, declaredName: null, nameAt: TEXT_START, warnings: NO_ISSUES },
    ...{ runs: [], dependsOn: [], lasting: file.kind === 'read' },
    problems: joinIssues(loading, other),
    answered: joinIssues(withPrefix(LOADING, loading), other),
  });
  if (file.kind !== 'read') return unloaded(oneIssue('unreadable', whyNotRead(file)));
  const text = decodeUtf8(file.bytes);
  if (text === null) {
    return unloaded(oneIssue('not_utf8', 'it is not UTF-8 text', endOfUtf8(file.bytes)));
  }
  const source = await readYaml(text);
  const { root, positionOf } = source;
  const loading = openIssueLog();
  for (const { code, path, message, at } of source.faults) loading.add(code, path, message, at);
  const faults = loading.close(source);
  if (!root) {
    const isEmpty = faults.kept.length === 0;
    return unloaded(faults, isEmpty ? oneIssue('empty_file', 'job.yml is empty') : NO_ISSUES);
  }
  const shape = openIssueLog();
  const checks = openIssueLog();
  const hash = createHash('sha256').update(file.bytes).digest('hex');
  const read = isArgumentStyle(root)
    ? await readArguments(root, { dir, hash }, shape, checks)
    : await readSteps(root, { dir, hash }, shape, checks);
  const misshaped = inFileOrder(shape.close(source));
  const placed = withPlaces(misshaped, (place) => place.join(' -> '));
  const misfits = checks.close(source);
  const problems = joinIssues(faults, placed, misfits);
  const job = problems.kept.length === 0 ? read.make() : null;
  const judged = job && judge?.(job, { draft: read.draft, root, text });
  return {
    dir,
    job,
    declaredName: read.name.value || null,
    nameAt: positionOf(locate(root, read.name.path, 'value')),
    problems: judged ? joinIssues(problems, judged.problems.close(source)) : problems,
    answered: joinIssues(
      withPrefix(LOADING, faults),
      withPrefix(
        SHAPE,
        withPlaces(misshaped, (place) => place.join(' -> ') || 'root'),
      ),
      misfits,
    ),
    warnings: joinIssues(
      ...read.warnings.map((log) => log.close(source)),
      judged ? judged.warnings.close(source) : NO_ISSUES,
    ),
    runs: read.runs.map((run) => ({
      ...run,
      at: positionOf(locate(root, run.path, 'value')),
    })),
    dependsOn: read.dependsOn,
    lasting: read.lasting,
  };
}

/** What a way of writing a job makes of a file. */
interface ReadJob extends Pick<JobFile, 'dependsOn' | 'lasting'> {
  readonly name: Located;
  readonly warnings: readonly IssueLog[];
  /** As it was written; null for a way that is not written in steps. */
  readonly draft: ParsedJob | null;
  readonly runs: readonly WrittenRun[];
  /** To be called only if nothing is wrong. */
  readonly make: () => Job;
}

async function readSteps(
  root: Node,
  origin: JobOrigin,
  shape: Report,
  checks: Report,
): Promise<ReadJob> {
  const draft = readShape(root, shape);
  const rules = await compileRules(draft, shape);
  checkBeforeInstructions(draft, checks);
  const { empty, ...instructions } = await checkInstructions(origin.dir, draft, checks);
  checkAfterInstructions(draft, checks);
  const blank = openIssueLog();
  for (const { value, path } of empty) {
    blank.add('empty_instructions', path, `Instructions file is empty: ${cut(value, 300)}`);
  }
  return {
    name: draft.name,
    draft,
    warnings: [warnAbout(draft, basename(origin.dir)), blank],
    runs: (draft.workflows ?? []).flatMap(runsIn),
    make: () => makeJob(draft, rules, origin),
    ...instructions,
  };
}

async function readArguments(
  root: Node,
  origin: JobOrigin,
  shape: Report,
  checks: Report,
): Promise<ReadJob> {
  const draft = readArgumentStyle(root, shape);
  const rules = await compileSchemas(draft, shape);
  checkArguments(draft, checks);
  return {
    name: draft.name,
    draft: null,
    warnings: [warnAboutArguments(draft, basename(origin.dir))],
    runs: runsInArguments(draft),
    make: () => makeArgumentJob(draft, rules, origin),
    dependsOn: [],
    lasting: true,
  };
}

function runsIn({ name: from, entries }: ParsedWorkflow): readonly WrittenRun[] {
  return leafEntriesOf(entries).flatMap((entry) => {
    if (entry.kind !== 'run') return [];
    const { name, job, workflow } = entry;
    const path = [...name.path.slice(0, -1), 'workflow'];
    return [{ from: from.value, name: name.value, job, workflow, path }];
  });
}

const LOADING = 'Failed to load job.yml: ';
const SHAPE = 'Job definition validation failed: Validation error at ';

function withPrefix(prefix: string, { kept, ...counts }: Issues): Issues {
  return { kept: kept.map((issue) => ({ ...issue, message: prefix + issue.message })), ...counts };
}

function whyNotRead(file: Exclude<ContainedFile, { kind: 'read' }>): string {
  switch (file.kind) {
    case 'missing':
      return 'it does not exist';
    case 'outside':
      return 'it is a symbolic link that leaves the jobs folder';
    case 'not-regular':
      return 'it is not a regular file';
    case 'too-large':
      return 'it is larger than 1 MiB';
    case 'unreadable':
      return file.why;
  }
}

async function compileRules(draft: ParsedJob, to: Report): Promise<CompiledRules> {
  const compiled = new Map<ParsedOutput | ParsedUntilRules, Criteria>();
  const outputs = (draft.steps ?? []).flatMap((step) => step.outputs ?? []);
  const loops = (draft.workflows ?? []).flatMap(({ entries }) => loopsIn(entries));
  const untils = loops.flatMap(({ until }) => (until?.kind === 'rules' ? [until] : []));
  for (const output of [...outputs, ...untils]) {
    if (!output.rules || to.full()) continue;
    const { parseCriteria } = await import('../../core/rules.ts');
    const { node, path } = output.rules;
    const { criteria, problems } = await parseCriteria(plainValue(node), pauseIfDue);
    addFaults(problems, path, to);
    if (criteria) compiled.set(output, criteria);
  }
  return compiled;
}

/** The schemas of arguments, as rules on the text of their files. */
async function compileSchemas(draft: ArgumentJob, to: Report): Promise<ArgumentRules> {
  const compiled = new Map<Argument, Criteria>();
  for (const argument of draft.arguments) {
    const { name, schema } = argument;
    if (schema === null || to.full()) continue;
    const { parseCriteria } = await import('../../core/rules.ts');
    const message = `Must match the json_schema of '${cut(name.value, 200)}'`;
    const rule = { type: 'schema', schema: plainValue(schema.node), message };
    const { criteria, problems } = await parseCriteria(rule, pauseIfDue);
    // The place of a problem is inside `schema` of the rule.
    const faults = problems.map((each) => ({ ...each, path: each.path.slice(1) }));
    addFaults(faults, schema.path, to);
    if (criteria) compiled.set(argument, criteria);
  }
  return compiled;
}

async function checkInstructions(
  dir: string,
  draft: ParsedJob,
  to: Report,
): Promise<Pick<JobFile, 'dependsOn' | 'lasting'> & { readonly empty: readonly Located[] }> {
  if (to.full()) return { dependsOn: [], lasting: true, empty: [] };
  const named = (draft.steps ?? [])
    .map((step) => step.instructionsFile)
    .filter(({ value }) => value !== '');
  const written = [...new Set(named.map(({ value }) => value))];
  const paths = [...new Set(written.map((name) => resolve(dir, name)))].filter(
    (path) => isInside(dir, path) && !path.includes('\0'),
  );
  const plain = plainFiles(dir, paths);
  // A folder tells by its own fingerprint that a file in it came or went. What is written in a
  // sound file is its own affair, and judged again when the step is read.
  const folders = [...new Set(plain.map((path) => dirname(path)))];
  const watched = [...folders, ...paths];
  const prints = watched.map(takeFingerprint);
  const found = await mapConcurrent(written, FILES_AT_ONCE, (name) => openInstructions(dir, name));
  const faults = new Map(
    written.map((name, index) => {
      const result = found[index];
      return [name, result?.kind === 'fault' ? result.fault : null];
    }),
  );
  for (const { value, path } of named) {
    const fault = faults.get(value);
    if (!fault) continue;
    const code = fault === 'not found' ? 'instructions_not_found' : 'instructions_unusable';
    to.add(code, path, describeFault(fault, value));
  }
  const blank = new Set(
    written.filter((_, index) => {
      const result = found[index];
      return result?.kind === 'text' && result.text.trim() === '';
    }),
  );
  // A blank file is looked at again until something is written in it.
  const sound = new Set(
    written
      .filter((name) => faults.get(name) === null && !blank.has(name))
      .map((name) => resolve(dir, name)),
  );
  const dependsOn = watched
    .map((path, index) => ({ path, print: prints[index] ?? NOTHING }))
    .filter(({ path }) => !(sound.has(path) && plain.includes(path)));
  const lasting = ![...faults.values()].includes('not readable');
  return { dependsOn, lasting, empty: named.filter(({ value }) => blank.has(value)) };
}

/** Files that are reached through no link inside the job's directory. */
function plainFiles(dir: string, paths: readonly string[]): string[] {
  try {
    const real = realpathSync.native(dir);
    return paths.filter((path) => {
      try {
        return realpathSync.native(path) === join(real, relative(dir, path));
      } catch {
        return false;
      }
    });
  } catch {
    return [];
  }
}
