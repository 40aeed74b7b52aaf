// Reads one job directory: its `job.yml` and the instruction files that it names. All problems are
// collected in one pass, in a fixed order: loading, shape, then the numbered checks. A job is
// returned only if there are none.

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
import { allEntries } from './entries/all-entries.ts';
import type { ParsedUntilRules } from './entries/parsed-entry.ts';
import { describeFault, openInstructions } from './instructions.ts';
import { type CompiledRules, type JobOrigin, makeJob } from './job-model.ts';
import type { ParsedJob } from './parsed-job.ts';
import type { ParsedOutput } from './parsed-step.ts';
import { type PlacedRun, type PlaceOf, runsIn } from './placed-runs.ts';
import { checkAfterInstructions, checkBeforeInstructions } from './references.ts';
import { readShape } from './shape.ts';
import { runsInArguments } from './sub-workflow.ts';
import { checkDefaults } from './variable-defaults.ts';
import { warnAbout } from './warnings.ts';

/** The result of reading one `job.yml`. */
export interface JobFile {
  readonly dir: string;
  /** Null if there are problems. */
  readonly job: Job | null;
  readonly declaredName: string | null;
  readonly nameAt: TextPosition;
  readonly problems: Issues;
  /** The same problems as in answers, which begin with what failed; lint omits that. */
  readonly answered: Issues;
  readonly warnings: Issues;
  /** The workflows that its own workflows run. */
  readonly runs: readonly PlacedRun[];
  /** Other files that the result depends on, with their state just before they were read. */
  readonly dependsOn: readonly { readonly path: string; readonly print: Fingerprint }[];
  /** False if a temporary problem such as a missing permission affects the result. */
  readonly lasting: boolean;
}

export const JOB_FILE = 'job.yml';
const MAX_BYTES = 1024 * 1024;
const FILES_AT_ONCE = 16;

/**
 * A `job.yml` may be a link, but only to a place inside its jobs folder. If the directory itself
 * is a link, the folder of its target may be outside the project, so `problemOf` is asked, too.
 */
export async function readJobBytes(dir: string, problemOf: ProblemOf): Promise<ContainedFile> {
  const file = join(dir, JOB_FILE);
  const realDir = await realpath(dir).catch(() => resolve(dir));
  const read = readContained(dirname(realDir), file, MAX_BYTES);
  const problem = read.kind === 'read' ? problemOf(file) : null;
  return problem === null ? read : unreadableLink(problem);
}

/** The alternative to a link out of the project. */
export const NAME_IT_INSTEAD =
  'remove the link; a folder of jobs elsewhere can be named in DEEPWORK_ADDITIONAL_JOBS_FOLDERS';

/** Replaces the content if the directory leads out of the project. */
export function unreadableLink(problem: string): ContainedFile {
  return { kind: 'unreadable', why: `${problem}; ${NAME_IT_INSTEAD}` };
}

/** A job as it is written in its file. */
export interface WrittenJob {
  /** Null for a format that has no steps of its own. */
  readonly parsed: ParsedJob | null;
  readonly root: Node;
  readonly text: string;
}

/** Further checks of a valid job. */
export type JudgeJob = (
  job: Job,
  written: WrittenJob,
) => { readonly problems: IssueLog; readonly warnings: IssueLog };

/** `judge` is for lint, which also walks the paths through a valid job. */
export async function parseJobFile(
  dir: string,
  file: ContainedFile,
  judge?: JudgeJob,
): Promise<JobFile> {
  const unloaded = (loading: Issues, other: Issues = NO_ISSUES): JobFile => ({
    dir,
    job: null,
    declaredName: null,
    nameAt: TEXT_START,
    warnings: NO_ISSUES,
    runs: [],
    dependsOn: [],
    lasting: file.kind === 'read',
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
  const judged = job && judge?.(job, { parsed: read.parsed, root, text });
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
    runs: read.runs((path, at) => positionOf(locate(root, path, at))),
    dependsOn: read.dependsOn,
    lasting: read.lasting,
  };
}

/** The result of the reader of one job format. */
interface ReadJob extends Pick<JobFile, 'dependsOn' | 'lasting'> {
  readonly name: Located;
  readonly warnings: readonly IssueLog[];
  /** The parsed job; null for the format with `step_arguments`. */
  readonly parsed: ParsedJob | null;
  readonly runs: (placeOf: PlaceOf) => readonly PlacedRun[];
  /** To be called only if there are no problems. */
  readonly make: () => Job;
}

async function readSteps(
  root: Node,
  origin: JobOrigin,
  shape: Report,
  checks: Report,
): Promise<ReadJob> {
  const parsed = readShape(root, shape);
  await checkDefaults(parsed, shape);
  const rules = await compileRules(parsed, shape);
  checkBeforeInstructions(parsed, checks);
  const { empty, ...instructions } = await checkInstructions(origin.dir, parsed, checks);
  checkAfterInstructions(parsed, checks);
  const blank = openIssueLog();
  for (const { value, path } of empty) {
    blank.add('empty_instructions', path, `Instructions file is empty: ${cut(value, 300)}`);
  }
  return {
    name: parsed.name,
    parsed,
    warnings: [warnAbout(parsed, basename(origin.dir)), blank],
    runs: (placeOf) => (parsed.workflows ?? []).flatMap((each) => runsIn(each, placeOf)),
    make: () => makeJob(parsed, rules, origin),
    ...instructions,
  };
}

async function readArguments(
  root: Node,
  origin: JobOrigin,
  shape: Report,
  checks: Report,
): Promise<ReadJob> {
  const parsed = readArgumentStyle(root, shape);
  const rules = await compileSchemas(parsed, shape);
  checkArguments(parsed, checks);
  return {
    name: parsed.name,
    parsed: null,
    warnings: [warnAboutArguments(parsed, basename(origin.dir))],
    runs: (placeOf) => runsInArguments(parsed, placeOf),
    make: () => makeArgumentJob(parsed, rules, origin),
    dependsOn: [],
    lasting: true,
  };
}

const LOADING = 'Failed to load job.yml: ';
const SHAPE = 'Job definition validation failed: Validation error at ';

function withPrefix(prefix: string, { kept, ...counts }: Issues): Issues {
  return { kept: kept.map((issue) => ({ ...issue, message: prefix + issue.message })), ...counts };
}

function whyNotRead(file: Exclude<ContainedFile, { kind: 'read' }>): string {
  return file.kind === 'unreadable' ? file.why : NOT_READ[file.kind];
}

const NOT_READ = {
  missing: 'it does not exist',
  outside: 'it is a symbolic link that leaves the jobs folder',
  'not-regular': 'it is not a regular file',
  'too-large': 'it is larger than 1 MiB',
} as const;

async function compileRules(parsed: ParsedJob, to: Report): Promise<CompiledRules> {
  const compiled = new Map<ParsedOutput | ParsedUntilRules, Criteria>();
  const outputs = (parsed.steps ?? []).flatMap((step) => step.outputs ?? []);
  const entries = (parsed.workflows ?? []).flatMap((workflow) => allEntries(workflow.entries));
  const untils = entries.flatMap(({ until }) => (until?.kind === 'rules' ? [until] : []));
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
async function compileSchemas(parsed: ArgumentJob, to: Report): Promise<ArgumentRules> {
  const compiled = new Map<Argument, Criteria>();
  for (const argument of parsed.arguments) {
    const { name, schema } = argument;
    if (schema === null || to.full()) continue;
    const { parseCriteria } = await import('../../core/rules.ts');
    const message = `Must match the json_schema of '${cut(name.value, 200)}'`;
    const rule = { type: 'schema', schema: plainValue(schema.node), message };
    const { criteria, problems } = await parseCriteria(rule, pauseIfDue);
    // The path of a problem begins with the `schema` of the rule.
    const faults = problems.map((each) => ({ ...each, path: each.path.slice(1) }));
    addFaults(faults, schema.path, to);
    if (criteria) compiled.set(argument, criteria);
  }
  return compiled;
}

async function checkInstructions(
  dir: string,
  parsed: ParsedJob,
  to: Report,
): Promise<Pick<JobFile, 'dependsOn' | 'lasting'> & { readonly empty: readonly Located[] }> {
  if (to.full()) return { dependsOn: [], lasting: true, empty: [] };
  const named = (parsed.steps ?? [])
    .map((step) => step.instructionsFile)
    .filter(({ value }) => value !== '');
  const written = [...new Set(named.map(({ value }) => value))];
  const paths = [...new Set(written.map((name) => resolve(dir, name)))].filter(
    (path) => isInside(dir, path) && !path.includes('\0'),
  );
  const plain = plainFiles(dir, paths);
  // The fingerprint of a folder shows that a file was added or removed. The content of a valid
  // file does not matter here; it is checked again when the step is started.
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
  // A blank file stays a dependency until it has content.
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

/** Files that are not reached through a link inside the job's directory. */
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
