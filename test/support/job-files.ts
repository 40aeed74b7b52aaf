// Real job directories for tests, in a folder that is removed with the test.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { IssueCode } from '../../src/core/issue.ts';
import type { Job } from '../../src/core/workflow.ts';
import { type JobFile, parseJobFile, readJobBytes } from '../../src/definitions/jobs/job-yml.ts';
import { writeIssue, writeIssues } from '../../src/definitions/reader/issues.ts';
import { tempFolder } from './temp-folder.ts';

export function writeFiles(
  folder: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

async function readJob(dir: string): Promise<JobFile> {
  const absolute = resolve(dir);
  return parseJobFile(absolute, await readJobBytes(absolute, () => null));
}

/** The job in a directory, or its problems, as lines of text. */
export async function loadJob(dir: string) {
  const { job, declaredName, warnings, answered } = await readJob(dir);
  if (job !== null) return { kind: 'job' as const, job, warnings: warnings.kept.map(writeIssue) };
  return { kind: 'broken' as const, declaredName, problems: writeIssues(answered) };
}

/** Writes a job with the instruction files `a.md` and `b.md`; returns its directory. */
export function writeJob(folder: string, name: string, yml: string | Uint8Array): string {
  const dir = join(folder, name);
  writeFiles(dir, { 'job.yml': yml, 'a.md': 'Do a.', 'b.md': 'Do b.' });
  return dir;
}

/** A valid job of two steps; its parts can be replaced to make it invalid. */
export function jobYml(
  parts: { name?: string; root?: string; a?: string; b?: string; workflows?: string } = {},
): string {
  return `name: ${parts.name ?? 'demo'}
version: "1.0.0"
summary: A demonstration
common_job_info_provided_to_all_steps_at_runtime: Shared by all.
${parts.root ?? ''}
steps:
  - id: a
    name: Step A
    description: The first
    instructions_file: a.md
    outputs:
      notes.md: {type: file, description: The notes, required: true}
${parts.a ?? '    reviews: []'}
  - id: b
    name: Step B
    description: The second
    instructions_file: b.md
    outputs: {}
${parts.b ?? '    reviews: []'}
workflows:
${parts.workflows ?? '  - {name: main, summary: All of it, steps: [a, b]}'}
`;
}

export async function problemsOf(yml: string | Uint8Array): Promise<string[]> {
  const loaded = await loadJob(writeJob(tempFolder(), 'demo', yml));
  if (loaded.kind === 'job') throw new Error('expected problems');
  return loaded.problems;
}

export async function soundJob(yml: string | Uint8Array): Promise<Job> {
  const loaded = await loadJob(writeJob(tempFolder(), 'demo', yml));
  if (loaded.kind === 'broken') throw new Error(loaded.problems.join('\n'));
  return loaded.job;
}

/** The code of each problem, and the rest of the line that its position points at. */
export async function pointed(yml: string): Promise<[IssueCode, string][]> {
  const lines = yml.split('\n');
  const { answered } = await readJob(writeJob(tempFolder(), 'demo', yml));
  return answered.kept.map(({ code, at }) => [
    code,
    (lines[at.line - 1] ?? '').slice(at.column - 1),
  ]);
}
