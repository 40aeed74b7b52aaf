// Work that was taken over by another client: what a call of the first owner, sent again, is
// still told, and that a review which ended with its server counts for nothing.

import { expect, test } from 'vitest';
import { connect, connectToProcess } from '../support/connect.ts';
import { REVIEW, writeJob } from '../support/project.ts';
import { REVIEW_COMMAND, script, seen } from '../support/reviewer.ts';
import { readView } from '../support/saved.ts';
import { isAlive } from '../support/server-process.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { newDemo, START } from './demo.ts';

const DONE = { outputs: { result: 'a.md' } };

test('the end of a nested workflow, told again, hands out no step that another client has taken over', async () => {
  const project = newDemo();
  const first = await connectToProcess(project.root);
  const below = (await first.ok('start_workflow', START)).begin_step.session_id;
  const nested = { ...START, workflow_name: 'short' };
  const session_id = (await first.ok('start_workflow', nested)).begin_step.session_id;
  const ended = await first.ok('finished_step', { ...DONE, session_id });
  expect(ended).toMatchObject({ status: 'workflow_complete', begin_step: { session_id: below } });
  await first.close();

  const second = await connectToProcess(project.root);
  await second.ok('get_active_workflow', { session_id: below });
  const third = await connect(project.root);
  const again = await third.ok('finished_step', { ...DONE, session_id });
  expect(again).toMatchObject({ status: 'workflow_complete', begin_step: null });
});

test('a review that was under way when its server died is no attempt of whoever takes the work over', async () => {
  verifies('JOBS-X.17', 'JOBS-X.19');
  const project = newDemo();
  const plan = { outputs: { result: 'file' }, reviews: [REVIEW] };
  writeJob(project, 'demo', { plan, build: {} }, { main: ['plan', 'build'] });
  script(project, { hang: true });
  const args = ['--quality-gate', REVIEW_COMMAND];
  const first = await connectToProcess(project.root, { args, closeAfterTest: false });
  const { session_id } = (await first.ok('start_workflow', START)).begin_step;
  first.call('finished_step', DONE).catch(() => {});
  await until(() => seen(project).length === 1);
  const attempts = () => readView(project, session_id).step_progress.plan.quality_attempts;
  expect(attempts()).toBe(1);
  process.kill(first.pid, 'SIGKILL');
  process.kill(-(seen(project)[0]?.pid as number), 'SIGKILL');
  await until(() => !isAlive(first.pid));
  const second = await connect(project.root, { args });
  await second.ok('get_active_workflow', { session_id });
  expect(attempts()).toBe(0);
});
