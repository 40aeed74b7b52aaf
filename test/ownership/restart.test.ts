// Who owns work after a restart: work of a named agent waits for that agent. Another agent neither
// takes it over nor gets its answers; the coordinator can take it over, but only by naming it.

import { describe, expect, test } from 'vitest';
import { connect, connectToProcess } from '../support/connect.ts';
import { serveOverHttp } from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { keptState } from '../support/kept-state.ts';
import type { Project } from '../support/project.ts';
import { REVIEW, writeJob } from '../support/project.ts';
import { readRefusal, refusal } from '../support/refusal.ts';
import { REVIEW_COMMAND, script, seen } from '../support/reviewer.ts';
import { deepwork } from '../support/run-command.ts';
import { readView } from '../support/saved.ts';
import { isAlive } from '../support/server-process.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { callerOf, elsewhere, newDemo, START } from './demo.ts';

const DONE = { outputs: { result: 'a.md' } };
const SHORT = { ...START, workflow_name: 'short' };
const AS_WRITER = ['--agent', 'writer'];
const NO_SESSION = { code: 'no_session' };
const NOT_YOURS = { code: 'session_not_found' };

/** What `name` leaves behind in a server that is then killed. */
async function leaveOverHttp(project: Project, name: string, start = START): Promise<string> {
  const server = await serveOverHttp(project.root);
  const client = await callerOf(server, name);
  const { begin_step } = await client.ok('start_workflow', start);
  if (start === SHORT) await client.ok('finished_step', DONE);
  server.child.kill('SIGKILL');
  await server.ended;
  return begin_step.session_id;
}

describe('over HTTP, after a restart', () => {
  test('an agent continues its own work, and no other agent can', async () => {
    const project = newDemo();
    const id = await leaveOverHttp(project, 'writer|one');
    const server = await serveHttpInProcess(project.root);
    const reviewer = await callerOf(server, 'reviewer');
    const before = keptState(project);
    for (const [tool, args] of [
      ['finished_step', DONE],
      ['abort_workflow', { explanation: 'x' }],
      ['go_to_step', { step_id: 'plan' }],
      ['validate_step_outputs', DONE],
    ] as const) {
      const none = await refusal(reviewer, tool, args);
      expect(none, tool).toMatchObject(NO_SESSION);
      expect(none.next).not.toContain(id);
      const named = await refusal(reviewer, tool, { ...args, session_id: id });
      expect(named).toMatchObject(NOT_YOURS);
      expect(named.next).toMatch(/'writer'.*coordinator/);
    }
    const none = { active: false, orphans: [], stack: [] };
    expect(await reviewer.ok('get_active_workflow')).toMatchObject(none);
    expect(keptState(project)).toEqual(before);

    // Also with another model.
    const writer = await callerOf(server, 'writer|two');
    const { begin_step } = await writer.ok('finished_step', DONE);
    expect(begin_step).toMatchObject({ session_id: id, step_id: 'build' });
  });

  test('an agent does not get the last answer of work that it never began', async () => {
    const project = newDemo();
    const session_id = await leaveOverHttp(project, 'writer', SHORT);
    const server = await serveHttpInProcess(project.root);
    for (const name of ['reviewer', '']) {
      const stranger = await callerOf(server, name);
      expect(await refusal(stranger, 'finished_step', DONE)).toMatchObject(NO_SESSION);
    }
    const reviewer = await callerOf(server, 'reviewer');
    await refusal(reviewer, 'finished_step', { ...DONE, session_id });
    const writer = await callerOf(server, 'writer');
    expect(await writer.ok('finished_step', DONE)).toMatchObject({ status: 'workflow_complete' });
  });

  test('the coordinator takes it over only by naming it', async () => {
    const project = newDemo();
    const id = await leaveOverHttp(project, 'writer');
    const server = await serveHttpInProcess(project.root);
    const coordinator = await callerOf(server);
    const { next } = await refusal(coordinator, 'finished_step', DONE);
    expect(next).toContain(id);
    expect(next).toContain("'writer'");
    const { active, orphans } = await coordinator.ok('get_active_workflow');
    expect({ active, orphans }).toMatchObject({ active: false, orphans: [{ session_id: id }] });
    expect(orphans[0].left_by).toContain("'writer'");

    const { begin_step } = await coordinator.ok('finished_step', { ...DONE, session_id: id });
    expect(begin_step).toMatchObject({ session_id: id, step_id: 'build' });
    expect(readView(project, id).agent).toMatchObject({ owner: 'agent:coordinator' });
    // Now it belongs to the coordinator, which is alive.
    const writer = await callerOf(server, 'writer');
    const refused = await refusal(writer, 'finished_step', { ...DONE, session_id: id });
    expect(refused.next).toContain("'coordinator'");
  });
});

describe('over stdio, after a restart', () => {
  test('a named agent continues its work; another neither takes over nor repeats it', async () => {
    const project = newDemo();
    const first = await connectToProcess(project.root, { closeAfterTest: false, args: AS_WRITER });
    const { session_id } = (await first.ok('start_workflow', START)).begin_step;
    process.kill(first.pid, 'SIGKILL');
    await first.close();

    const reviewer = await connect(project.root, { args: ['--agent', 'reviewer'] });
    const none = await refusal(reviewer, 'finished_step', DONE);
    expect(none).toMatchObject(NO_SESSION);
    expect(none.next).not.toContain(session_id);
    // A caller without a name is the coordinator: it learns of the work, and may take it over.
    const unnamed = await connect(project.root);
    expect((await refusal(unnamed, 'finished_step', DONE)).next).toContain(session_id);

    const second = await connectToProcess(project.root, { env: { SGAI_AGENT_IDENTITY: 'writer' } });
    expect((await second.ok('finished_step', DONE)).begin_step.step_id).toBe('build');
    const last = { ...DONE, notes: 'last' };
    await second.ok('finished_step', last);
    await second.close();
    for (const stranger of [reviewer, unnamed]) {
      expect(await refusal(stranger, 'finished_step', last)).toMatchObject(NO_SESSION);
    }
    const third = await connect(project.root, { args: AS_WRITER });
    expect((await third.ok('finished_step', last)).status).toBe('workflow_complete');
  });

  test("two agents in one client's session have stacks of their own", async () => {
    const project = newDemo();
    const env = { CLAUDE_CODE_SESSION_ID: 'one-and-the-same' };
    const writer = await connect(project.root, { args: AS_WRITER, env });
    await writer.ok('start_workflow', START);
    const reviewer = await connect(project.root, { args: ['--agent', 'reviewer'], env });
    expect((await reviewer.ok('get_active_workflow')).stack).toEqual([]);
    expect(await refusal(reviewer, 'finished_step', DONE)).toMatchObject(NO_SESSION);
    expect((await writer.ok('get_active_workflow')).stack).toHaveLength(1);
  });

  test('a clock that goes back does not reverse the stack', async () => {
    const project = newDemo();
    // Three lives of one client's session, each an hour earlier than the one before.
    const live = (hours: number) =>
      connectToProcess(project.root, {
        closeAfterTest: false,
        env: { CLAUDE_CODE_SESSION_ID: 'c', ...elsewhere({ clockMs: -hours * 3_600_000 }) },
      });
    const ids: string[] = [];
    for (const hours of [0, 1, 2]) {
      const server = await live(hours);
      const { begin_step } = await server.ok('start_workflow', { ...START, goal: `${hours}` });
      ids.push(begin_step.session_id);
      process.kill(server.pid, 'SIGKILL');
      await server.close();
    }
    const server = await live(3);
    const { begin_step, stack } = await server.ok('finished_step', DONE);
    expect(begin_step).toMatchObject({ session_id: ids[2], step_id: 'build' });
    expect(stack.map(({ step }: { step: string }) => step)).toEqual(['plan', 'plan', 'build']);
    process.kill(server.pid, 'SIGKILL');
    await server.close();

    // The same for a caller that takes the stack over, with a clock that is a day earlier.
    const heir = await connectToProcess(project.root, {
      env: elsewhere({ clockMs: -24 * 3_600_000 }),
    });
    const done = await heir.ok('finished_step', { ...DONE, notes: 'n' });
    expect(done).toMatchObject({ status: 'workflow_complete', stack: [{}, {}] });
    expect((await heir.ok('get_active_workflow')).session_id).toBe(ids[1]);
  });
});

test('the end of a nested workflow, told again, hands out no step that another client has taken over', async () => {
  const project = newDemo();
  const first = await connectToProcess(project.root);
  const below = (await first.ok('start_workflow', START)).begin_step.session_id;
  const session_id = (await first.ok('start_workflow', SHORT)).begin_step.session_id;
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

test('at a terminal, agents have stacks of their own and a person can rescue them', async () => {
  const project = newDemo();
  const run = (tool: string, args: object, agent?: string) =>
    deepwork(['call', tool, '--json', JSON.stringify(args)], {
      cwd: project.root,
      env: agent === undefined ? {} : { SGAI_AGENT_IDENTITY: agent },
    });
  const started = await run('start_workflow', START, 'writer');
  const { session_id } = JSON.parse(started.stdout).begin_step;
  expect((await run('finished_step', DONE, 'reviewer')).code).toBe(1);
  expect((await run('finished_step', { ...DONE, session_id }, 'reviewer')).code).toBe(1);
  expect((await run('finished_step', DONE)).code).toBe(1);
  const rescued = await run('finished_step', { ...DONE, session_id });
  expect(JSON.parse(rescued.stdout).begin_step.step_id).toBe('build');
});

describe('an owner whose process cannot be checked from here', () => {
  async function leave(project: Project, env: Record<string, string>): Promise<string> {
    const server = await connectToProcess(project.root, { closeAfterTest: false, env });
    const { begin_step } = await server.ok('start_workflow', START);
    process.kill(server.pid, 'SIGKILL');
    await server.close();
    return begin_step.session_id;
  }

  test.each([
    ['on another machine', { host: 'build-7', boot: '0badcafe' }],
    ['in another container', { host: '9f86d081884c', namespace: '4026539999' }],
  ] as const)('%s is named, and its work is taken over only by its id', async (_, place) => {
    const project = newDemo();
    const id = await leave(project, elsewhere(place));
    const server = await connectToProcess(project.root);
    for (const [tool, args] of [
      ['finished_step', DONE],
      ['abort_workflow', { explanation: 'x' }],
      ['go_to_step', { step_id: 'plan' }],
    ] as const) {
      const { code, next } = await refusal(server, tool, args);
      expect(code).toBe(NO_SESSION.code);
      for (const value of [id, place.host, "'g'"]) expect(next).toContain(value);
    }
    const { orphans, active } = await server.ok('get_active_workflow');
    expect({ orphans, active }).toMatchObject({
      active: false,
      orphans: [{ session_id: id, goal: 'g' }],
    });
    expect(orphans[0].left_by).toContain(place.host);
    expect(orphans[0].last_activity_at).toBe(readView(project, id).started_at);
    const done = await server.ok('finished_step', { ...DONE, session_id: id });
    expect(done.begin_step).toMatchObject({ session_id: id, step_id: 'build' });
  });

  test('but a host that was renamed is the same host', async () => {
    const project = newDemo();
    const id = await leave(project, elsewhere({ host: 'renamed-since' }));
    const server = await connectToProcess(project.root);
    expect((await server.ok('finished_step', DONE)).begin_step.session_id).toBe(id);
  });

  test('and work of a living process is refused with its number', async () => {
    const project = newDemo();
    const first = await connectToProcess(project.root);
    const { session_id } = (await first.ok('start_workflow', START)).begin_step;
    const second = await connectToProcess(project.root);
    const refused = readRefusal(await second.call('finished_step', { ...DONE, session_id }));
    expect(refused).toMatchObject(NOT_YOURS);
    expect(refused.next).toContain(`${first.pid}`);
  });
});
