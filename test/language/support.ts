// Jobs that declare inputs and reports.

import { readdirSync } from 'node:fs';
import { expect } from 'vitest';
import { newProject, type Project, type StepSpec, writeJob } from '../support/project.ts';

/** A job `demo` with one workflow `main` of these steps and inputs. */
export function writeJobWithInputs(
  project: Project,
  inputs: Readonly<Record<string, unknown>> | null,
  steps: Readonly<Record<string, StepSpec>>,
): void {
  const workflow = {
    name: 'main',
    summary: 'All of it',
    steps: Object.keys(steps),
    ...(inputs && { inputs }),
  };
  writeJob(project, 'demo', steps, {}, { workflows: [workflow] });
}

export const START = { goal: 'Try it', job_name: 'demo', workflow_name: 'main' };

export const TRIAGE_INPUTS = {
  issue: { description: "The issue's address", pattern: '^https://' },
  severity: { description: 'How bad it is', enum: ['low', 'high'], default: 'low' },
  count: { description: 'How many', type: 'number', required: false },
  strict: { description: 'Is it strict?', type: 'boolean', required: false },
  log: { description: 'A log', type: 'file', required: false },
};

export const ISSUE = 'https://example.com/1';

/** A project whose only workflow takes the inputs of a triage. */
export function triageProject(files: Readonly<Record<string, string>> = {}): Project {
  const project = newProject(files);
  writeJobWithInputs(project, TRIAGE_INPUTS, {
    assess: {
      reports: {
        regression: { type: 'boolean', description: 'Did it work before?' },
        cause: { description: 'What broke it', required: false },
      },
    },
    bisect: { when: { var: 'regression' } },
    fix: { outputs: { patch: 'file' } },
  });
  return project;
}

/** What a session would leave behind. */
export function leftBehind(project: Project): string[] {
  const all = readdirSync(project.path('.deepwork'), { recursive: true, encoding: 'utf8' });
  return all.filter((file) => /session/.test(file) && /\.json/.test(file));
}

/** Variables whose pattern takes longer than it may for each of `slowValues`. */
export function slowVariables(count: number): Readonly<Record<string, unknown>> {
  const declared = { description: 'A value', pattern: '^(x+x+)+y1' };
  return Object.fromEntries(namesUpTo(count).map((name) => [name, declared]));
}

export function slowValues(count: number): Readonly<Record<string, string>> {
  return Object.fromEntries(namesUpTo(count).map((name) => [name, 'x'.repeat(36)]));
}

/** Sorted. */
function namesUpTo(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `v${String(at).padStart(3, '0')}`);
}

/** The first slow value was stopped, the last one not tested any more. */
export function expectOneBudget(refusal: string, start: string, count: number): void {
  const wrong = refusal.split('\n').filter((line) => line.startsWith(start));
  expect(wrong).toHaveLength(count);
  expect(wrong[0]).toContain('(the pattern took longer than 100 ms)');
  expect(wrong.at(-1)).toContain(
    '(not tested: the patterns of all values together took longer than 2000 ms)',
  );
}
