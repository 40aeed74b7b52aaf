// A misspelt name is answered with what was probably meant.

import { expect, test } from 'vitest';
import { FOLDER, guideProject, step, workflow } from '../guides/guide-project.ts';
import { command } from '../support/command.ts';
import { connect } from '../support/connect.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { verifies } from '../verifies.ts';

async function call(project: Project, ...args: string[]) {
  const { code, stdout, stderr } = await command(['call', ...args], { cwd: project.root });
  expect(stdout, stderr).toMatch(/^\{/);
  return { code, ...JSON.parse(stdout) };
}

function jobProject(): Project {
  const project = newProject();
  writeJob(project, 'blog', { draft: {} }, { write: ['draft'] });
  return project;
}

test('a misspelt parameter of a job tool is answered with the right one', async () => {
  verifies('JOBS-X.3');
  const { code, error } = await call(jobProject(), 'start_workflow', '--job', 'blog');
  expect(code).toBe(2);
  expect(error.message).toMatch(/; job: is not a parameter; did you mean 'job_name'\?$/);
});

test('a missing parameter is answered with what it is for', async () => {
  verifies('JOBS-X.3');
  const { error } = await call(guideDemo(), 'start_workflow', '--job_name=demo', '--goal=x');
  expect(error.message).toBe('Invalid arguments for start_workflow: workflow_name: is required');
  expect(error.next).toContain("workflow_name: A workflow, or the guide's id.");
});

test('starting another workflow than the named one is the first warning', async () => {
  verifies('JOBS-REQ-001.3.6');
  const project = jobProject();
  project.write('.deepwork/config.yml', 'git: {branch: off}\nteam: {tokens: false}\n');
  const names = ['--job_name', 'blog', '--workflow_name', 'wirte', '--goal', 'x'];
  writeJob(
    project,
    'blog',
    { draft: { when: { var: 'a', equals: 1 } }, b: {} },
    { write: ['draft', 'b'] },
  );
  const { warnings } = await call(project, 'start_workflow', ...names);
  expect(warnings.length).toBeGreaterThan(1);
  expect(warnings[0]).toBe(
    "There is no workflow 'wirte'; the job's only one, 'write', was started.",
  );
});

test('a misspelt job, workflow or input is answered with the right one', async () => {
  verifies('JOBS-X.3');
  const project = newProject();
  const inputs = { target: { description: 'T' } };
  const workflows = ['upgrade', 'check'].map((name) => ({
    name,
    summary: 'All of it',
    steps: ['a'],
    inputs,
  }));
  writeJob(project, 'port', { a: {} }, {}, { workflows });
  const { refused } = await connect(project.root);
  const start = { goal: 'x', job_name: 'port', workflow_name: 'upgrade' };
  const next = async (more: Record<string, unknown>) =>
    /^Next: (.*)$/m.exec(await refused('start_workflow', { ...start, ...more }))?.[1];
  expect(await next({ job_name: 'prot' })).toMatch(
    /^did you mean 'port'\? Use one of these: port, .*get_workflows describes each\.$/,
  );
  expect(await next({ job_name: 'nothing-like-it' })).toMatch(/^use one of these: /);
  expect(await next({ workflow_name: 'upgrad' })).toBe(
    "did you mean 'upgrade'? Correct it and call again.",
  );
  expect(await next({ workflow_name: 'other' })).toBe('use one of the available workflows.');
  expect(await next({ inputs: { tagret: '1' } })).toBe(
    "did you mean 'target' instead of 'tagret'? Call start_workflow again with inputs: target (string; required).",
  );
  const simulated = await command(['simulate', 'port/upgrade', '--inputs', 'tagret=1'], {
    cwd: project.root,
  });
  expect(simulated.stderr).toContain("did you mean 'target' instead of 'tagret'?");
});

function guideDemo(): Project {
  return guideProject({ demo: workflow({ steps: [step({ id: 'one' }), step({ id: 'two' })] }) });
}

test('a misspelt id of a guide or of its step is answered with the right one, or with all', async () => {
  verifies('GUIDE-3', 'GUIDE-23');
  const { refused } = await connect(guideDemo().root);
  const next = async (tool: string, args: Record<string, unknown>) =>
    /^Next: (.*)$/m.exec(await refused(tool, args))?.[1];
  expect(await next('workflow_get', { id: 'dmeo' })).toBe(
    "did you mean 'demo'? Correct it and call again.",
  );
  expect(await next('workflow_get', { id: 'nothing-like-it' })).toMatch(
    /^use one of these: .*\bdemo\b.*\. workflow_list describes each\.$/,
  );
  const walk = { workflowId: 'demo', completedSteps: [] };
  expect(await next('workflow_next', { ...walk, currentStep: 'tow' })).toBe(
    "did you mean 'two'? Correct it and call again.",
  );
  const validate = { workflowId: 'demo', stepId: 'somewhere', output: 'x' };
  expect(await next('workflow_validate', validate)).toBe('use one of these: one, two.');
  expect(await next('workflow_next', { workflowId: 'demo' })).toBe(
    'give [] if nothing is done yet.',
  );
  expect(await next('workflow_next', { workflow: 'demo', completedSteps: [] })).toBe(
    'write workflowId instead of workflow and call again.',
  );
});

test('the workflows of a job are named if one is followed as a guide', async () => {
  verifies('GUIDE-3');
  const { refused } = await connect(jobProject().root);
  expect(await refused('workflow_get', { id: 'blog/publication' })).toMatch(
    /\nNext: use one of these: blog\/write\. get_workflows describes each\.$/,
  );
});

test('a misspelt field of a guide is linted with the right one', async () => {
  verifies('GUIDE-3');
  const { prompt, ...rest } = step({ id: 'one' });
  const rules = { type: 'contains', vlaue: 'x', value: 'x', message: 'Say x' };
  const steps = [{ ...rest, promt: prompt, validationCriteria: rules }];
  const project = guideProject({ demo: workflow({ steps, descripton: 'x' }) });
  const { stdout } = await command(['lint', FOLDER], { cwd: project.root });
  expect(stdout).toContain("Unknown field: promt; did you mean 'prompt'?\n");
  expect(stdout).toContain("Unknown field: descripton; did you mean 'description'?\n");
  expect(stdout).toContain("Unknown field: vlaue; did you mean 'value'?\n");
});

test.each([
  ['--agent before the tool', ['--agent', 'writer', 'workflow_list']],
  ['--path and --agent, written with =', ['--path=.', '--agent=writer', 'workflow_list']],
  ['--json before the tool', ['--json', '{}', 'workflow_list']],
])('call takes %s', async (_what, args) => {
  verifies('JOBS-X.3');
  expect(await call(guideDemo(), ...args)).toMatchObject({ code: 0 });
});

test('call without a tool shows the help, whatever the options are', async () => {
  verifies('JOBS-X.3');
  const ran = await command(['call', '--agent', 'writer'], { cwd: newProject().root });
  expect(ran).toMatchObject({ code: 2, stdout: expect.stringContaining('Tools:\n') });
});
