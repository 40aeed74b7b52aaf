// Projects for tests: a temporary directory with jobs in it, removed after the test.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { tempFolder } from './temp-folder.ts';

export interface Project {
  readonly root: string;
  /** Writes a file (and its folders) inside the project; returns its absolute path. */
  write(file: string, text: string | Uint8Array): string;
  path(file: string): string;
}

export function newProject(files: Readonly<Record<string, string>> = {}): Project {
  const root = tempFolder();
  const project = projectAt(root);
  // Git has its own tests; elsewhere it would only cost time.
  project.write('.deepwork/config.yml', 'git:\n  branch: off\n');
  for (const [file, text] of Object.entries(files)) project.write(file, text);
  return project;
}

/** A project in an existing folder. */
export function projectAt(root: string): Project {
  return {
    root,
    path: (file) => path.join(root, file),
    write(file, text) {
      const absolute = path.join(root, file);
      mkdirSync(path.dirname(absolute), { recursive: true });
      writeFileSync(absolute, text);
      return absolute;
    },
  };
}

export interface StepSpec {
  readonly outputs?: Readonly<Record<string, unknown>>;
  readonly reviews?: readonly unknown[];
  readonly [field: string]: unknown;
}

/** An output as a shorthand: `file`, `files`, `file?`, `files?` (optional). */
function output(spec: unknown): unknown {
  if (typeof spec !== 'string') return spec;
  return {
    type: spec.replace('?', ''),
    description: 'An output',
    required: !spec.endsWith('?'),
  };
}

/**
 * Writes a job whose steps are given by id:
 *
 *   writeJob(project, 'demo', { a: { outputs: { report: 'file' } }, b: {} }, { main: ['a', 'b'] })
 */
export function writeJob(
  project: Project,
  name: string,
  steps: Readonly<Record<string, StepSpec>>,
  workflows: Readonly<Record<string, readonly (string | readonly string[])[]>>,
  more: Readonly<Record<string, unknown>> = {},
): string {
  const dir = `.deepwork/jobs/${name}`;
  const job = {
    name,
    version: '1.0.0',
    summary: `The ${name} job`,
    common_job_info_provided_to_all_steps_at_runtime: `About ${name}`,
    workflows: Object.entries(workflows).map(([workflow, entries]) => ({
      name: workflow,
      summary: `Runs ${workflow}`,
      steps: entries,
    })),
    steps: Object.entries(steps).map(([id, { outputs = {}, reviews = [], ...fields }]) => ({
      id,
      name: `Step ${id}`,
      description: `Does ${id}`,
      instructions_file: `steps/${id}.md`,
      outputs: Object.fromEntries(
        Object.entries(outputs).map(([key, spec]) => [key, output(spec)]),
      ),
      reviews,
      ...fields,
    })),
    ...more,
  };
  for (const id of Object.keys(steps)) project.write(`${dir}/steps/${id}.md`, `Do ${id} now.\n`);
  project.write(`${dir}/job.yml`, stringify(job));
  return project.path(dir);
}

/** A step review with one criterion. */
export const REVIEW = { run_each: 'step', quality_criteria: { good: 'It is good' } };
