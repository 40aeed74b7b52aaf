// A misspelt name is answered with what was probably meant.

import { expect, test } from 'vitest';
import { FOLDER, guideProject, step, workflow } from '../guides/guide-project.ts';
import { command } from '../support/command.ts';
import { connect } from '../support/connect.ts';
import { newProject, writeJob } from '../support/project.ts';
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

test('a missing parameter is answered with what it is for, a misspelt option like a parameter', async () => {
  verifies('JOBS-X.3');
  const { root: cwd } = projectWithBoth();
  const call = ['call', 'start_workflow', '--job_name=port', '--goal=x'];
  const { code, stdout } = await command(call, { cwd });
  expect([code, JSON.parse(stdout).error.next]).toEqual([
    2,
    expect.stringContaining('workflow_name'),
  ]);
  const job = await command(['call', 'start_workflow', '--job', 'port'], { cwd });
  expect([job.code, job.stdout]).toEqual([2, expect.stringContaining("'job_name'")]);
  const simulate = await command(['simulate', 'port/upgrade', '--inputs', 'tagret=1'], { cwd });
  expect(simulate.stderr).toContain("'target'");
});

test('a misspelt field of a guide is linted with the right one', async () => {
  verifies('GUIDE-3');
  const { prompt, ...rest } = step({ id: 'one' });
  const rules = { type: 'contains', vlaue: 'x', value: 'x', message: 'Say x' };
  const steps = [{ ...rest, promt: prompt, validationCriteria: rules }];
  const project = guideProject({ demo: workflow({ steps, descripton: 'x' }) });
  const { stdout } = await command(['lint', FOLDER], { cwd: project.root });
  for (const pair of [
    ['promt', 'prompt'],
    ['descripton', 'description'],
    ['vlaue', 'value'],
  ]) {
    expect(stdout).toMatch(new RegExp(`${pair[0]}\\b.*'${pair[1]}'`));
  }
});

test('starting another workflow than the named one is the first warning', async () => {
  verifies('JOBS-REQ-001.3.6');
  const project = newProject({
    '.deepwork/config.yml': 'git: {branch: off}\nteam: {tokens: no}\n',
  });
  const when = { var: 'a', equals: 1 };
  writeJob(project, 'blog', { draft: { when }, b: {} }, { write: ['draft', 'b'] });
  const server = await connect(project.root);
  const start = { goal: 'x', job_name: 'blog', workflow_name: 'wirte' };
  const { warnings } = await server.ok('start_workflow', start);
  expect(warnings.length).toBeGreaterThan(1);
  for (const name of ["'wirte'", "'write'"]) expect(warnings[0]).toContain(name);
});
