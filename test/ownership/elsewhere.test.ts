// Owners whose process cannot be checked from here: in another container of this machine, or on
// another machine. Their work is named wherever work is looked for, and taken over only by its id.

import { expect, test } from 'vitest';
import { connectToProcess } from '../support/connect.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { readRefusal } from '../support/refusal.ts';
import { historyOf, readView } from '../support/saved.ts';
import { type Elsewhere, elsewhere } from './elsewhere.ts';

const START = { goal: 'the goal', job_name: 'demo', workflow_name: 'main' };
const NO_SESSION = 'No active workflow session. Use start_workflow to begin a workflow.';

function newDemo(): Project {
  const project = newProject();
  writeJob(project, 'demo', { a: {}, b: {} }, { main: ['a', 'b'] });
  return project;
}

async function leave(project: Project, where: Elsewhere): Promise<string> {
  const server = await connectToProcess(project.root, {
    closeAfterTest: false,
    env: elsewhere(where),
  });
  const { begin_step } = await server.ok('start_workflow', START);
  process.kill(server.pid, 'SIGKILL');
  await server.close();
  return begin_step.session_id;
}

test.each([
  ['on another machine', { host: 'build-7', boot: '0badcafe' }, /on host 'build-7'; it may still/],
  [
    'in another container',
    { host: '9f86d081884c', namespace: '4026539999' },
    /in another container of this machine, host '9f86d081884c'; it may still/,
  ],
] as const)(
  'work left %s is named, and taken over only by its id',
  async (_where, place, words) => {
    const project = newDemo();
    const id = await leave(project, place);
    const server = await connectToProcess(project.root);
    for (const [tool, args] of [
      ['finished_step', { outputs: {} }],
      ['abort_workflow', { explanation: 'x' }],
      ['go_to_step', { step_id: 'a' }],
    ] as const) {
      const { message, next } = readRefusal(await server.call(tool, args));
      expect(message).toBe(NO_SESSION);
      expect(next).toContain(id);
      expect(next).toMatch(words);
      expect(next).toContain("goal 'the goal'");
      expect(next).toMatch(/last active \d{4}-/);
    }
    const { orphans, active } = await server.ok('get_active_workflow');
    expect(active).toBe(false);
    expect(orphans).toMatchObject([{ session_id: id, goal: 'the goal' }]);
    expect(orphans[0].left_by).toMatch(words);
    expect(orphans[0].last_activity_at).toBe(readView(project, id).started_at);

    const done = await server.ok('finished_step', { outputs: {}, session_id: id });
    expect(done.begin_step).toMatchObject({ session_id: id, step_id: 'b' });
    expect(historyOf(project, id)).toContain('adopted');
  },
);

test('the last call of work that ended on another machine is answered again, if it names that work', async () => {
  const project = newDemo();
  const place = { host: 'build-7', boot: '0badcafe' };
  const there = await connectToProcess(project.root, { env: elsewhere(place) });
  const { begin_step } = await there.ok('start_workflow', START);
  await there.ok('finished_step', { outputs: {} });
  const ended = await there.ok('finished_step', { outputs: {} });
  const here = await connectToProcess(project.root);
  const again = { outputs: {}, session_id: begin_step.session_id };
  expect((await here.ok('finished_step', again)).status).toBe(ended.status);
  expect(readRefusal(await here.call('finished_step', { outputs: {} })).message).toBe(NO_SESSION);
});

test('a host that was renamed is the same host', async () => {
  const project = newDemo();
  const id = await leave(project, { host: 'renamed-since' });
  const server = await connectToProcess(project.root);
  expect((await server.ok('finished_step', { outputs: {} })).begin_step.session_id).toBe(id);
});

test('an id that another living process works on is refused with that reason', async () => {
  const project = newDemo();
  const first = await connectToProcess(project.root);
  const { session_id } = (await first.ok('start_workflow', START)).begin_step;
  const second = await connectToProcess(project.root);
  const call = { outputs: {}, session_id };
  const { message, next } = readRefusal(await second.call('finished_step', call));
  expect(message).toBe(`Session '${session_id}' not found in active stack`);
  expect(next).toContain(`process ${first.pid} (running on this host)`);
});
