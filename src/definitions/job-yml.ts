// Reads one job directory: its `job.yml`, and the instruction files that it names.
// Every problem of the file is collected in one go, in a fixed order: loading, shape,
// then the numbered checks. A job is only handed out when there is none.

import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { mapConcurrent } from '../async/map-concurrent.ts';
import { pauseIfDue } from '../async/slices.ts';
import type { Criteria } from '../core/rules.ts';
import type { Job } from '../core/workflow.ts';
import { type Fingerprint, NOTHING, takeFingerprint } from '../files/fingerprint.ts';
import { isInside } from '../files/inside.ts';
import type { ProblemOf } from '../files/project-path.ts';
import { type ContainedFile, decodeUtf8, readContained } from '../files/read-contained.ts';
import type { JobDraft, OutputDraft } from './draft.ts';
import {
  type FindingLog,
  type Findings,
  openFindingLog,
  type Position,
  writeFinding,
  writeFindings,
} from './finding.ts';
import { describeFault, openInstructions } from './instructions.ts';
import { type CompiledRules, makeJob } from './job-model.ts';
import type { Located } from './read-fields.ts';
import { checkAfterInstructions, checkBeforeInstructions } from './references.ts';
import { foreignDialectAt, readShape } from './shape.ts';
import { openShapeLog, type ShapeLog } from './shape-log.ts';
import { addForeignProblems } from './step-shape.ts';
import { warnAbout } from './warnings.ts';
import { cut } from './wording.ts';
import { plainValue } from './yaml-node.ts';
import { readYaml } from './yaml-source.ts';

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
  readonly nameAt: Position;
  readonly problems: Findings;
  readonly warnings: Findings;
  /** What else its verdict depends on, as it was just before it was looked at. */
  readonly dependsOn: readonly { readonly path: string; readonly print: Fingerprint }[];
  /** False when a passing trouble such as a missing permission had a part in it. */
  readonly lasting: boolean;
}

export const JOB_FILE = 'job.yml';
export const LOAD_PREFIX = 'Failed to load job.yml: ';
const MAX_BYTES = 1024 * 1024;
const START: Position = { line: 1, column: 1 };
const FILES_AT_ONCE = 16;

export async function loadJob(dir: string): Promise<LoadedJob> {
  const absolute = resolve(dir);
  return describeJobFile(await parseJobFile(absolute, await readJobBytes(absolute, () => null)));
}

export function describeJobFile(file: JobFile): LoadedJob {
  if (file.job) {
    return { kind: 'job', job: file.job, warnings: file.warnings.kept.map(writeFinding) };
  }
  const { declaredName, problems } = file;
  return { kind: 'broken', declaredName, problems: writeFindings(problems) };
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

export async function parseJobFile(dir: string, file: ContainedFile): Promise<JobFile> {
  const problems = openFindingLog();
  const unloaded: JobFile = {
    dir,
    job: null,
    declaredName: null,
    nameAt: START,
    problems,
    warnings: openFindingLog(),
    dependsOn: [],
    lasting: file.kind === 'read',
  };
  if (file.kind !== 'read') {
    problems.add(`${LOAD_PREFIX}${whyNotRead(file)}`, START);
    return unloaded;
  }
  const text = decodeUtf8(file.bytes);
  if (text === null) {
    problems.add(`${LOAD_PREFIX}it is not UTF-8 text`, firstBadByte(file.bytes));
    return unloaded;
  }
  const { root, problems: faults, positionOf } = await readYaml(text);
  for (const { message, at } of faults) {
    problems.add(`${LOAD_PREFIX}${message}`, positionOf(at));
  }
  if (!root) {
    if (faults.length === 0) problems.add('job.yml is empty', START);
    return unloaded;
  }
  const dialectAt = foreignDialectAt(root);
  if (dialectAt !== null) {
    problems.add(FOREIGN_DIALECT, positionOf(dialectAt));
    return unloaded;
  }

  const shape = openShapeLog(positionOf);
  const draft = readShape(root, shape);
  const rules = await compileRules(draft, shape);
  shape.addAllTo(problems);
  const to = {
    add: (message: string, at: number) => problems.add(message, positionOf(at)),
    full: problems.full,
  };
  checkBeforeInstructions(draft, to);
  const { empty, ...instructions } = await checkInstructions(dir, draft, problems, positionOf);
  checkAfterInstructions(draft, to);

  const warnings = openFindingLog();
  for (const { message, ...at } of warnAbout(draft, basename(dir), positionOf).kept) {
    warnings.add(message, at);
  }
  for (const { value, at } of empty) {
    warnings.add(`Instructions file is empty: ${cut(value, 300)}`, positionOf(at));
  }

  const hash = createHash('sha256').update(file.bytes).digest('hex');
  const sound = problems.kept.length === 0;
  return {
    dir,
    job: sound ? makeJob(draft, rules, { dir, hash }) : null,
    declaredName: draft.name.value || null,
    nameAt: positionOf(draft.name.at),
    problems,
    warnings,
    ...instructions,
  };
}

const FOREIGN_DIALECT = 'job.yml uses the step_arguments dialect, which is not supported';

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

/** Position of the first byte that is not UTF-8, found where a lenient reader stumbles. */
function firstBadByte(bytes: Buffer): Position {
  const before = bytes.toString('utf8').split('\ufffd', 1)[0] ?? '';
  const line = before.slice(before.lastIndexOf('\n') + 1);
  return { line: before.split('\n').length, column: line.length + 1 };
}

async function compileRules(draft: JobDraft, to: ShapeLog): Promise<CompiledRules> {
  const compiled = new Map<OutputDraft, Criteria>();
  const outputs = (draft.steps ?? []).flatMap((step) => step.outputs ?? []);
  for (const output of outputs) {
    if (!output.rules || to.full()) continue;
    const { parseCriteria } = await import('../core/rules.ts');
    const { node, path } = output.rules;
    const { criteria, problems } = await parseCriteria(plainValue(node), pauseIfDue);
    addForeignProblems(problems, node, path, to);
    if (criteria) compiled.set(output, criteria);
  }
  return compiled;
}

async function checkInstructions(
  dir: string,
  draft: JobDraft,
  problems: FindingLog,
  positionOf: (at: number) => Position,
): Promise<Pick<JobFile, 'dependsOn' | 'lasting'> & { readonly empty: readonly Located[] }> {
  if (problems.full()) return { dependsOn: [], lasting: true, empty: [] };
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
  for (const { value, at } of named) {
    const fault = faults.get(value);
    if (fault) problems.add(describeFault(fault, value), positionOf(at));
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
