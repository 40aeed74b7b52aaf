// A misspelt name is answered with what was probably meant.

import { expect, test } from 'vitest';
import { guideProject, step, workflow } from '../guides/guide-project.ts';
import { connect } from '../support/connect.ts';
import { writeJob } from '../support/project.ts';
import { verifies } from '../verifies.ts';

const START = { goal: 'x', job_name: 'port', workflow_name: 'upgrade' };
const NEXT = { workflowId: 'demo', completedSteps: [] };

function projectWithBoth() {
  const steps = [step({ id: 'one' }), step({ id: 'two' })];
  const project = guideProject({ demo: workflow({ steps }) });
  const inputs = { target: { description: 'T' } };
  const workflows = ['upgrade', 'check'].map((name) => ({
    name,
    summary: 'S',
    steps: ['a'],
    inputs,
  }));
  writeJob(project, 'port', { a: {} }, {}, { workflows });
  return project;
}

test.each<[tool: string, args: object, meant: string]>([
  ['start_workflow', { ...START, job: 'port' }, "'job_name'"],
  ['start_workflow', { ...START, job_name: 'prot' }, "'port'"],
  ['start_workflow', { ...START, job_name: 'nothing-like-it' }, 'port'],
  ['start_workflow', { ...START, workflow_name: 'upgrad' }, "'upgrade'"],
  ['start_workflow', { ...START, inputs: { tagret: '1' } }, "'target'"],
  ['workflow_get', { id: 'dmeo' }, "'demo'"],
  ['workflow_get', { id: 'nothing-like-it' }, 'demo'],
  // The workflows of a job are named if one is followed as a guide.
  ['workflow_get', { id: 'port/publication' }, 'port/upgrade'],
  ['workflow_next', { ...NEXT, currentStep: 'tow' }, "'two'"],
  ['workflow_next', { workflowId: 'demo' }, '[]'],
  ['workflow_next', { workflow: 'demo', completedSteps: [] }, 'workflowId'],
  ['workflow_validate', { workflowId: 'demo', stepId: 'somewhere', output: 'x' }, 'one, two'],
])('%s with %j is told %s', async (tool, args, meant) => {
  verifies('JOBS-X.3', 'GUIDE-3', 'GUIDE-23');
  const { refused } = await connect(projectWithBoth().root);
  const text = await refused(tool, { ...args });
  expect(/did you mean .*|\nNext: .*/i.exec(text)?.[0], text).toContain(meant);
});
