// The project that most of these tests use: a job of two steps, and a shorter workflow.

import { newProject, type Project, writeJob } from '../support/project.ts';

export const START = { goal: 'g', job_name: 'demo', workflow_name: 'main' };

export function newDemo(): Project {
  const project = newProject({ 'a.md': 'A' });
  const outputs = { result: 'file' } as const;
  writeJob(
    project,
    'demo',
    { plan: { outputs }, build: { outputs } },
    { main: ['plan', 'build'], short: ['plan'] },
  );
  return project;
}
