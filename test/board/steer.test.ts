// A person steers a living run from a terminal, as from the page: the agent's next call learns who
// did it and why.

import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { connect } from '../support/connect.ts';
import type { Project } from '../support/project.ts';
import type { Ran } from '../support/run-command.ts';
import { verifies } from '../verifies.ts';
import { historyOf, newDemo, runOf, START, textOf } from './support.ts';

const REPORT = { outputs: { report: 'report.md' } };

function steer(project: Project, ...args: string[]) {
  return command([...args, '--by', 'Ada'], { cwd: project.root });
}

test('a run that a person aborts from a terminal names the person and the reason to its agent', async () => {
  verifies('BOARD-4');
  const project = newDemo();
  const agent = await connect(project.root);
  const id: string = (await agent.ok('start_workflow', START)).begin_step.session_id;
  const done = await steer(project, 'abort', id.slice(0, 5), '--reason', ' not needed ');
  expect(done).toMatchObject({ code: 0, stderr: '' });
  expect(done.stdout).toContain(`Aborted ${id} (demo/main: Get it done).`);
  expect(await agent.refused('finished_step', { ...REPORT, session_id: id })).toContain(
    'Ada aborted it: not needed',
  );
  expect(await runOf(project, id)).toMatchObject({ status: 'aborted' });
  expect(await textOf(project, 'history', 'last')).toContain('Ada aborted it: not needed');
  const again = await steer(project, 'abort', 'last', '--reason', 'x');
  expect(again).toMatchObject({ code: 1, stdout: '' });
  expect(again.stderr).toContain(
    `Run ${id} has ended. Ada aborted it: not needed.\nNext: look at its history: deepwork history ${id}\n`,
  );
});

test('a run that a person sends back from a terminal tells its agent so with the next call', async () => {
  verifies('BOARD-4');
  const project = newDemo();
  const agent = await connect(project.root);
  const id = (await agent.ok('start_workflow', START)).begin_step.session_id;
  await agent.ok('finished_step', REPORT);
  const done = await steer(project, 'redo', 'last', 'a', '--reason', 'too short', '--json');
  expect(done).toMatchObject({ code: 0, stderr: '' });
  const data = { session_id: id, status: 'active', step_id: 'a', by: 'Ada' };
  expect(JSON.parse(done.stdout)).toEqual({ ...data, seq: expect.any(Number) });
  const told = await agent.ok('finished_step', { outputs: { page: 'page.md' } });
  expect(told).toMatchObject({ status: 'next_step', begin_step: { step_id: 'a' } });
  expect(told.feedback).toContain("Ada sent this run back to step 'a': too short");
  const { events } = await historyOf(project, id);
  expect(events.map(({ by }) => by)).toContain('Ada');
  // The current step can be done again, too.
  expect((await steer(project, 'redo', id, 'a', '--reason', 'again')).stdout).toContain(
    `Sent ${id} back to step 'a' (demo/main).`,
  );
});

test('a run that is complete is open again once a person sends it back, for its agent as for people', async () => {
  verifies('BOARD-4');
  const project = newDemo();
  const agent = await connect(project.root);
  const id = (await agent.ok('start_workflow', START)).begin_step.session_id;
  const page = { outputs: { page: 'page.md' } };
  const last = { ...REPORT, quality_review_override_reason: 'I read it myself' };
  for (const call of [REPORT, page, last]) await agent.ok('finished_step', call);
  expect(await runOf(project, id)).toMatchObject({ status: 'completed' });
  expect((await agent.ok('get_active_workflow')).active).toBe(false);
  const done = await steer(project, 'redo', 'last', 'b', '--reason', 'too short');
  expect(done).toMatchObject({ code: 0, stderr: '' });
  expect(await runOf(project, id)).toMatchObject({
    status: 'active',
    state: 'working',
    step: 'b',
    ended_at: null,
  });
  expect(await agent.ok('get_active_workflow')).toMatchObject({
    active: true,
    begin_step: { session_id: id, step_id: 'b' },
    last_feedback: "Ada sent this run back to step 'b': too short",
  });
  const next = await agent.ok('finished_step', page);
  expect(next).toMatchObject({ status: 'next_step', begin_step: { step_id: 'c' } });
  expect((await agent.ok('finished_step', last)).status).toBe('workflow_complete');
  expect(await runOf(project, id)).toMatchObject({ status: 'completed' });
});

test('what cannot be done is refused with what can be, and changes nothing', async () => {
  verifies('BOARD-4');
  const project = newDemo();
  const agent = await connect(project.root);
  const id = (await agent.ok('start_workflow', START)).begin_step.session_id;
  await agent.ok('finished_step', REPORT);
  const why = ['--reason', 'x'];
  const refusals: readonly (readonly [readonly string[], number, string])[] = [
    [['redo', id, 'c', ...why], 1, 'choose a step that it has reached: a, b'],
    [['redo', id, 'nowhere', ...why], 1, 'Available steps: a, b, c'],
    [['abort', id], 2, '--reason TEXT'],
    [['abort', 'ffffffff', ...why], 1, "There is no run 'ffffffff'"],
    [['stop', id], 1, 'not running unattended'],
  ];
  const all = await Promise.all(refusals.map(([args]) => steer(project, ...args)));
  for (const [index, [args, code, said]] of refusals.entries()) {
    const ran = all[index] as Ran;
    expect(ran, args.join(' ')).toMatchObject({ code, stdout: '' });
    expect(ran.stderr).toContain(said);
  }
  expect(await runOf(project, id)).toMatchObject({ status: 'active', step: 'b' });
  expect((await historyOf(project, id)).events).toHaveLength(2);
});
