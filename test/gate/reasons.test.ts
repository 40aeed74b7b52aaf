// `reason` of finished_step: what to do after needs_work, in one word.

import { expect, test } from 'vitest';
import { connect } from '../support/connect.ts';
import { newProject, type Project, REVIEW, type StepSpec, writeJob } from '../support/project.ts';
import { FAIL, PASS, REVIEW_COMMAND, script } from '../support/reviewer.ts';

const GATE = ['--quality-gate', REVIEW_COMMAND];
const START = { job_name: 'work', workflow_name: 'main', goal: 'Get it done' };
const REPORT = { outputs: { report: 'report.md' } };
const RULES = [{ type: 'contains', value: 'total', message: 'Name the total' }];
const RULED = { type: 'file', description: 'd', required: true, rules: RULES };

function working(step: StepSpec, config = ''): Project {
  const project = newProject({
    'report.md': 'The report.\n',
    '.deepwork/config.yml': `git: {branch: off}\n${config}`,
  });
  const outputs = { report: 'file' as const };
  writeJob(
    project,
    'work',
    { write: { outputs, ...step }, after: {} },
    { main: ['write', 'after'] },
  );
  script(project, { answer: FAIL });
  return project;
}

async function reasonIn(project: Project, ...args: string[]) {
  const agent = await connect(project.root, { args });
  await agent.ok('start_workflow', START);
  const { status, reason } = await agent.ok('finished_step', REPORT);
  return { agent, status, reason };
}

test.each<[string, StepSpec, string[]]>([
  ['rules', { outputs: { report: { ...RULED } } }, []],
  ['checks', { checks: [{ name: 'never', run: 'exit 1' }] }, ['--trust']],
  ['reviews', { reviews: [REVIEW] }, GATE],
  ['self_review', { reviews: [REVIEW] }, []],
])('%s', async (word, step, args) => {
  const { status, reason, agent } = await reasonIn(working(step), ...args);
  expect({ status, reason }).toEqual({ status: 'needs_work', reason: word });
  // The same words for the same state: nothing was changed.
  const again = await agent.ok('finished_step', REPORT);
  expect(again).toMatchObject({ status: 'needs_work', reason: word });
});

test('still_running, and null once the step is accepted', async () => {
  const project = working({ reviews: [REVIEW] }, 'quality_gate: {answer_within: 1}\n');
  script(project, { sleep: 2500, answer: PASS });
  const { status, reason, agent } = await reasonIn(project, ...GATE);
  expect({ status, reason }).toEqual({ status: 'needs_work', reason: 'still_running' });
  for (;;) {
    const next = await agent.ok('finished_step', REPORT);
    if (next.reason === 'still_running') continue;
    expect(next).toMatchObject({ status: 'next_step', reason: null });
    return;
  }
});

test('a file to fix takes precedence over an open member', async () => {
  const project = newProject({ 'a.md': 'no', 'b.md': 'no' });
  const outputs = (name: string, output: unknown = 'file') => ({ outputs: { [name]: output } });
  writeJob(
    project,
    'work',
    { one: outputs('a', RULED), two: outputs('b'), three: outputs('c') },
    { main: [['one', 'two', 'three']] },
  );
  const agent = await connect(project.root);
  await agent.ok('start_workflow', START);
  const open = await agent.ok('finished_step', { outputs: { b: 'b.md' } });
  expect(open).toMatchObject({ status: 'needs_work', reason: 'members_open' });
  const broken = await agent.ok('finished_step', { outputs: { a: 'a.md' } });
  expect(broken).toMatchObject({ status: 'needs_work', reason: 'rules' });
});
