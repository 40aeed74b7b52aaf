// get_active_workflow: what an agent that lost its context gets, in limited size, without changing
// or taking over anything.

import { expect, test } from 'vitest';
import { connect, connectToProcess } from '../support/connect.ts';
import { keptState } from '../support/kept-state.ts';
import { newProject, type Project, REVIEW, writeJob } from '../support/project.ts';
import { verifies } from '../verifies.ts';

const IDS = Array.from({ length: 6 }, (_, index) => `s${index + 1}`);
const LIMIT = 32 * 1024;
const START = { goal: 'Find out', job_name: 'demo', workflow_name: 'main' };
const SKIP = { outputs: {}, quality_review_override_reason: 'PASSED' };

/** s1 … s6, each with an optional output; s3 is reviewed. */
function newDemo(): Project {
  const project = newProject({ 'a.md': 'A' });
  const step = (id: string) => ({
    outputs: { [`out_${id}`]: 'file?' },
    reviews: id === 's3' ? [REVIEW] : [],
  });
  writeJob(project, 'demo', Object.fromEntries(IDS.map((id) => [id, step(id)])), { main: IDS });
  return project;
}

/** Everything beside the step itself. */
function sizeBeside({ begin_step: _, stack: __, ...rest }: Record<string, unknown>): number {
  return Buffer.byteLength(JSON.stringify(rest));
}

test('the current step is shown, before and after a restart', async () => {
  verifies('JOBS-X.22');
  const project = newDemo();
  const env = { CLAUDE_CODE_SESSION_ID: 'conversation' };
  const first = await connectToProcess(project.root, { env, closeAfterTest: false });
  expect(await first.ok('get_active_workflow')).toEqual({
    active: false,
    session_id: null,
    goal: null,
    begin_step: null,
    completed_steps: [],
    last_feedback: null,
    orphans: [],
    truncated: false,
    warnings: [],
    stack: [],
  });
  const { session_id } = (await first.ok('start_workflow', START)).begin_step;
  await first.ok('finished_step', { outputs: { out_s1: 'a.md' }, notes: 'First' });
  const { begin_step } = await first.ok('finished_step', { outputs: {} });
  const { feedback } = await first.ok('finished_step', { outputs: {} });
  await first.close();

  const second = await connect(project.root, { env });
  const kept = keptState(project);
  const completed_at = expect.stringMatching(/Z$/);
  expect(await second.ok('get_active_workflow', { session_id })).toEqual({
    active: true,
    session_id,
    goal: 'Find out',
    begin_step,
    completed_steps: [
      { step_id: 's1', completed_at, outputs: { out_s1: 'a.md' }, notes: 'First' },
      { step_id: 's2', completed_at, outputs: {}, notes: null },
    ],
    last_feedback: feedback,
    orphans: [],
    truncated: false,
    warnings: [],
    stack: [{ workflow: 'demo/main', step: 's3', session_id }],
  });
  expect(keptState(project)).toEqual(kept);
  // Once the step is accepted there is no feedback.
  await second.ok('finished_step', SKIP);
  expect((await second.ok('get_active_workflow')).last_feedback).toBeNull();
});

test('a named session is described wherever it is on the stack, with what comes before it', async () => {
  verifies('JOBS-X.22', 'JOBS-REQ-001.4.19');
  const server = await connect(newDemo().root);
  const lower = (await server.ok('start_workflow', START)).begin_step.session_id;
  await server.ok('finished_step', { outputs: {} });
  const named = () => server.ok('get_active_workflow', { session_id: lower });
  expect((await named()).warnings).toEqual([]);
  const upper = (await server.ok('start_workflow', START)).begin_step.session_id;
  expect(await named()).toMatchObject({
    session_id: lower,
    begin_step: { step_id: 's2' },
    warnings: [expect.stringContaining(upper)],
  });
  const top = { session_id: upper, warnings: [] };
  expect(await server.ok('get_active_workflow')).toMatchObject(top);
  expect(await server.ok('get_active_workflow', { session_id: upper })).toMatchObject(top);
});

test('the oldest steps are left out if there is too much, and the size is limited whatever the texts are', async () => {
  verifies('JOBS-X.22');
  const server = await connect(newDemo().root);
  await server.ok('start_workflow', START);
  const notes = 'é'.repeat(5000);
  const shown = async () => {
    const { truncated, completed_steps } = await server.ok('get_active_workflow');
    return [truncated, ...completed_steps.map((each: { step_id: string }) => each.step_id)];
  };
  for (const _ of ['s1', 's2', 's3']) await server.ok('finished_step', { ...SKIP, notes });
  expect(await shown()).toEqual([false, 's1', 's2', 's3']);
  for (const _ of ['s4', 's5']) await server.ok('finished_step', { ...SKIP, notes });
  expect(await shown()).toEqual([true, 's3', 's4', 's5']);
  const short = await server.ok('get_active_workflow');
  expect(short.completed_steps[0].notes).toBe(notes);
  expect(short.begin_step.step_id).toBe('s6');
  expect(sizeBeside(short)).toBeLessThanOrEqual(LIMIT);

  for (const goal of ['g'.repeat(1_000_000), '日'.repeat(300_000), '"\\\n'.repeat(300_000)]) {
    await server.ok('start_workflow', { ...START, goal });
    await server.ok('finished_step', { outputs: {}, notes: 'n'.repeat(1_000_000) });
    const answer = await server.ok('get_active_workflow');
    expect(answer).toMatchObject({ active: true, truncated: true });
    expect(goal.startsWith(answer.goal.slice(0, 1000))).toBe(true);
    expect(sizeBeside(answer)).toBeLessThanOrEqual(LIMIT);
  }
});
