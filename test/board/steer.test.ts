// A person steers a living run from a terminal, as from the page: the agent's next call learns who
// did it and why.

import { expect, test } from 'vitest';
import { connect } from '../support/connect.ts';
import { verifies } from '../verifies.ts';
import { commandIn, historyOf, newDemo, REPORT, runOf, start } from './support.ts';

const PAGE = { outputs: { page: 'page.md' } };
const LAST = { ...REPORT, quality_review_override_reason: 'I read it myself' };

/** A run of a new project, its agent, and a person who steers. */
async function steered() {
  const project = newDemo();
  const agent = await connect(project.root);
  const id = await start(agent);
  return {
    project,
    agent,
    id,
    steer: (...args: string[]) => commandIn(project, ...args, '--by', 'Ada'),
  };
}

test('a person aborts a run, or sends it back, from a terminal, and its agent is told', async () => {
  verifies('BOARD-4');
  const { project, agent, id, steer } = await steered();
  await agent.ok('finished_step', REPORT);
  const done = await steer('redo', 'last', 'a', '--reason', 'too short', '--json');
  const data = { session_id: id, status: 'active', step_id: 'a', by: 'Ada' };
  expect(JSON.parse(done.stdout)).toEqual({ ...data, seq: expect.any(Number) });
  const told = await agent.ok('finished_step', PAGE);
  expect(told).toMatchObject({ status: 'next_step', begin_step: { step_id: 'a' } });
  expect(told.feedback).toMatch(/Ada.*too short/);
  expect((await historyOf(project, id)).events.map(({ by }) => by)).toContain('Ada');
  const abort = ['abort', id.slice(0, 5), '--reason', 'not needed'];
  expect(await steer(...abort)).toMatchObject({ code: 0, stderr: '' });
  const refused = await agent.refused('finished_step', { ...REPORT, session_id: id });
  expect(refused).toMatch(/Ada.*not needed/);
  expect(await runOf(project, id)).toMatchObject({ status: 'aborted' });
  expect(await steer(...abort)).toMatchObject({ code: 1, stdout: '' });
});

test('a run that is complete is open again once a person sends it back, for its agent as for people', async () => {
  verifies('BOARD-4');
  const { project, agent, id, steer } = await steered();
  for (const call of [REPORT, PAGE, LAST]) await agent.ok('finished_step', call);
  expect(await runOf(project, id)).toMatchObject({ status: 'completed' });
  expect(await steer('redo', 'last', 'b', '--reason', 'too short')).toMatchObject({ code: 0 });
  const open = { status: 'active', state: 'working', step: 'b', ended_at: null };
  expect(await runOf(project, id)).toMatchObject(open);
  expect(await agent.ok('get_active_workflow')).toMatchObject({
    active: true,
    begin_step: { session_id: id, step_id: 'b' },
    last_feedback: expect.stringMatching(/Ada.*too short/),
  });
  const next = await agent.ok('finished_step', PAGE);
  expect(next).toMatchObject({ status: 'next_step', begin_step: { step_id: 'c' } });
  expect((await agent.ok('finished_step', LAST)).status).toBe('workflow_complete');
});

test.for([
  ['redo last c --reason x', 1, 'a, b'],
  ['redo last nowhere --reason x', 1, 'a, b, c'],
  ['abort last', 2, '--reason'],
  ['abort ffffffff --reason x', 1, 'ffffffff'],
  ['stop last', 1, ''],
] as const)('%s is refused, and changes nothing', async ([typed, code, named]) => {
  verifies('BOARD-4');
  const { project, agent, id, steer } = await steered();
  await agent.ok('finished_step', REPORT);
  const ran = await steer(...typed.split(' '));
  expect(ran).toMatchObject({ code, stdout: '' });
  expect(ran.stderr).toContain(named);
  expect(await runOf(project, id)).toMatchObject({ status: 'active', step: 'b' });
  expect((await historyOf(project, id)).events).toHaveLength(2);
});
