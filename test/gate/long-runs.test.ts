// Work of the gate that outlives the call that began it: which calls may join it, what ends it,
// and what must not.

import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { connect } from '../support/connect.ts';
import { newProject, type Project, REVIEW, type StepSpec, writeJob } from '../support/project.ts';
import { isRunning, PASS, REVIEW_COMMAND, script, seen } from '../support/reviewer.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';

const START = { job_name: 'work', workflow_name: 'main', goal: 'Get it done' };
const REPORT = { outputs: { report: 'report.md' } };

/** A trusted project whose calls are answered after so many seconds, whatever still runs. */
async function running(
  steps: Readonly<Record<string, StepSpec>>,
  main: readonly (string | readonly string[])[],
  answer_within = 1,
) {
  const project = newProject({
    'report.md': 'The report.\n',
    '.deepwork/config.yml': JSON.stringify({
      git: { branch: 'off' },
      quality_gate: { agent_review_command: REVIEW_COMMAND, answer_within },
    }),
  });
  writeJob(project, 'work', steps, { main });
  const agent = await connect(project.root, { args: ['--trust'] });
  return { project, agent };
}

const REVIEWED = { write: { outputs: { report: 'file' }, reviews: [REVIEW] }, after: {} };

/** Hands the report in, and waits until its reviewer runs on after the answer. */
async function leaveRunning({ project, agent }: Awaited<ReturnType<typeof running>>) {
  const { begin_step } = await agent.ok('start_workflow', START);
  expect(await agent.ok('finished_step', REPORT)).toMatchObject({ reason: 'still_running' });
  await until(() => seen(project).length === 1);
  return begin_step.session_id as string;
}

const noneAlive = (project: Project) => seen(project).every(({ pid }) => !isRunning(pid));

test('a slow check of one member answers in time, also beside a member that has nothing to run', async () => {
  verifies('JOBS-X.24');
  // Far longer than the second after which calls are answered.
  const check = { name: 'slow', run: 'sleep 60' };
  const { agent } = await running(
    {
      quick: { outputs: { notes: 'file' } },
      slow: { outputs: { report: 'file' }, checks: [check] },
    },
    [['quick', 'slow']],
  );
  await agent.ok('start_workflow', START);
  const outputs = { notes: 'report.md', report: 'report.md' };
  expect(await agent.ok('finished_step', { outputs })).toMatchObject({ reason: 'still_running' });
});

test('a call with another context does not join a check that was begun with the first one', async () => {
  const run = 'while [ ! -e go ]; do sleep 0.1; done';
  const { project, agent } = await running(
    {
      write: { outputs: { report: 'file' }, checks: [{ name: 'slow', run }] },
      extra: { when: { var: 'extra', equals: 'yes' } },
      last: {},
    },
    ['write', 'extra', 'last'],
  );
  await agent.ok('start_workflow', { ...START, context: { extra: 'unknown' } });
  const first = new AbortController();
  const given = (extra: string) => ({ ...REPORT, context: { extra } });
  const taken = agent.client.callTool(
    { name: 'finished_step', arguments: given('no') },
    { signal: first.signal },
  );
  taken.catch(() => {});
  const second = agent.ok('finished_step', given('yes'));
  // The first caller gives its call up while it waits, so what it said does not count any more.
  await agent.ok('get_workflows');
  first.abort();
  let answer = await second;
  expect(answer.reason).toBe('still_running');
  project.write('go', '');
  while (answer.reason === 'still_running') answer = await agent.ok('finished_step', given('yes'));
  expect(answer.begin_step.step_id).toBe('extra');
});

test('a workflow that is given up ends its own review, and no other one', async () => {
  const run = await running(REVIEWED, ['write', 'after']);
  const { project, agent } = run;
  script(project, { sleep: 6000, answer: PASS });
  const session_id = await leaveRunning(run);
  await agent.ok('start_workflow', { ...START, goal: 'Something else' });
  await agent.ok('abort_workflow', { explanation: 'Not needed' });
  const again = { ...REPORT, session_id };
  let answer = await agent.ok('finished_step', again);
  while (answer.reason === 'still_running') answer = await agent.ok('finished_step', again);
  expect(answer.status).toBe('next_step');
  // A review that was ended would have had to begin once more.
  expect(seen(project)).toHaveLength(1);
});

test('a review ends when the work goes back to before it', async () => {
  verifies('JOBS-X.21');
  const run = await running(REVIEWED, ['write', 'after']);
  script(run.project, { hang: true });
  await leaveRunning(run);
  expect(noneAlive(run.project)).toBe(false);
  await run.agent.ok('go_to_step', { step_id: 'write' });
  await until(() => noneAlive(run.project));
});

test('a submission that another one has overtaken asks no reviewer any more', async () => {
  verifies('JOBS-X.11');
  const wait = 'touch began; sleep 60';
  const run = `if grep -q slow report.md; then ${wait}; fi`;
  const { project, agent } = await running(
    { ...REVIEWED, write: { ...REVIEWED.write, checks: [{ name: 'slow', run }] } },
    ['write', 'after'],
    60,
  );
  script(project, { answer: PASS });
  await agent.ok('start_workflow', START);
  project.write('report.md', 'A slow one.\n');
  const overtaken = agent.call('finished_step', REPORT);
  await until(() => existsSync(project.path('began')));
  project.write('report.md', 'Another one.\n');
  const another = { ...REPORT, notes: 'Written anew' };
  expect((await agent.ok('finished_step', another)).begin_step.step_id).toBe('after');
  expect((await overtaken).text).toContain("Step 'write' is no longer the current step");
  expect(seen(project)).toHaveLength(1);
});
