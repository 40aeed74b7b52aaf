// Who owns work after a restart: work of a named agent waits for that agent. Another agent neither
// takes it over nor gets its answers; the coordinator can take it over, but only by naming it.

import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import type { Answer } from '../support/calls.ts';
import { connect, connectToProcess } from '../support/connect.ts';
import { connectOverHttp, serveOverHttp } from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { keptState } from '../support/kept-state.ts';
import type { Project } from '../support/project.ts';
import { readRefusal } from '../support/refusal.ts';
import { deepwork } from '../support/run-command.ts';
import { readView } from '../support/saved.ts';
import { isAlive } from '../support/server-process.ts';
import { until } from '../support/until.ts';
import { newDemo, START } from './demo.ts';

const NO_SESSION = 'No active workflow session. Use start_workflow to begin a workflow.';
const DONE = { outputs: { result: 'a.md' } };

async function call(client: Client, name: string, args: object = {}): Promise<Answer> {
  const result = await client.callTool({ name, arguments: { ...args } });
  const [block] = result.content as { text: string }[];
  return {
    isError: result.isError === true,
    text: block?.text ?? '',
    data: result.structuredContent,
  };
}

function as(name: string) {
  return { headers: { 'x-sgai-agent-identity': name } };
}

/** What `name` leaves behind in a server that is then killed. */
async function leaveOverHttp(project: Project, name: string, workflow_name = 'main') {
  const server = await serveOverHttp(project.root);
  const client = await connectOverHttp(server.url, as(name));
  const { data } = await call(client, 'start_workflow', { ...START, workflow_name });
  const id: string = data.begin_step.session_id;
  if (workflow_name === 'short') await call(client, 'finished_step', DONE);
  server.child.kill('SIGKILL');
  await server.ended;
  return id;
}

describe('over HTTP, after a restart', () => {
  test('an agent continues its own work, and no other agent can', async () => {
    const project = newDemo();
    const id = await leaveOverHttp(project, 'writer');
    const server = await serveHttpInProcess(project.root);
    const reviewer = await connectOverHttp(server.url, as('reviewer'));
    const before = keptState(project);

    for (const [tool, args] of [
      ['finished_step', DONE],
      ['abort_workflow', { explanation: 'x' }],
      ['go_to_step', { step_id: 'plan' }],
      ['validate_step_outputs', DONE],
    ] as const) {
      const refusal = readRefusal(await call(reviewer, tool, args));
      expect(refusal.message, tool).toBe(NO_SESSION);
      expect(refusal.next).not.toContain(id);
      const named = readRefusal(await call(reviewer, tool, { ...args, session_id: id }));
      expect(named.message).toBe(`Session '${id}' not found in active stack`);
      expect(named.next).toMatch(/agent 'writer'.*coordinator/);
    }
    const seen = await call(reviewer, 'get_active_workflow');
    expect(seen.data).toMatchObject({ active: false, orphans: [], stack: [] });
    expect(keptState(project)).toEqual(before);

    const writer = await connectOverHttp(server.url, as('writer'));
    const { data } = await call(writer, 'finished_step', DONE);
    expect(data.begin_step).toMatchObject({ session_id: id, step_id: 'build' });
  });

  test('an agent does not get the last answer of work that it never began', async () => {
    const project = newDemo();
    const id = await leaveOverHttp(project, 'writer', 'short');
    const server = await serveHttpInProcess(project.root);
    for (const name of ['reviewer', '']) {
      const stranger = await connectOverHttp(server.url, as(name));
      expect(readRefusal(await call(stranger, 'finished_step', DONE)).message).toBe(NO_SESSION);
    }
    const reviewer = await connectOverHttp(server.url, as('reviewer'));
    const named = { ...DONE, session_id: id };
    expect((await call(reviewer, 'finished_step', named)).isError).toBe(true);
    const writer = await connectOverHttp(server.url, as('writer'));
    expect((await call(writer, 'finished_step', DONE)).data.status).toBe('workflow_complete');
  });

  test('the coordinator takes it over only by naming it', async () => {
    const project = newDemo();
    const id = await leaveOverHttp(project, 'writer');
    const server = await serveHttpInProcess(project.root);
    const coordinator = await connectOverHttp(server.url);
    const { next } = readRefusal(await call(coordinator, 'finished_step', DONE));
    expect(next).toContain(id);
    expect(next).toContain("agent 'writer'");
    const seen = await call(coordinator, 'get_active_workflow');
    expect(seen.data).toMatchObject({ active: false, orphans: [{ session_id: id, goal: 'g' }] });
    expect(seen.data.orphans[0].left_by).toMatch(/^agent 'writer', process \d+/);

    const { data } = await call(coordinator, 'finished_step', { ...DONE, session_id: id });
    expect(data.begin_step).toMatchObject({ session_id: id, step_id: 'build' });
    expect(readView(project, id).agent).toMatchObject({ owner: 'agent:coordinator' });
    // Now it belongs to the coordinator, which is alive.
    const writer = await connectOverHttp(server.url, as('writer'));
    const refused = readRefusal(await call(writer, 'finished_step', { ...DONE, session_id: id }));
    expect(refused.next).toMatch(/agent 'coordinator'.*process \d+/);
  });

  test('another model of the agent goes on with its work', async () => {
    const project = newDemo();
    const id = await leaveOverHttp(project, 'writer|one');
    const server = await serveHttpInProcess(project.root);
    const other = await connectOverHttp(server.url, as('writer|two'));
    const { data } = await call(other, 'finished_step', DONE);
    expect(data.begin_step).toMatchObject({ session_id: id, step_id: 'build' });
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
    const none = readRefusal(await reviewer.call('finished_step', DONE));
    expect(none.message).toBe(NO_SESSION);
    expect(none.next).not.toContain(session_id);
    const named = readRefusal(await reviewer.call('finished_step', { ...DONE, session_id }));
    expect(named.next).toContain("agent 'writer'");

    // A caller without a name is the coordinator: it learns of the work, and may take it over.
    const unnamed = await connect(project.root);
    expect(readRefusal(await unnamed.call('finished_step', DONE)).next).toContain(session_id);

    const second = await connectToProcess(project.root, { env: { SGAI_AGENT_IDENTITY: 'writer' } });
    expect((await second.ok('finished_step', DONE)).begin_step.step_id).toBe('build');
    const last = { ...DONE, notes: 'last' };
    await second.ok('finished_step', last);
    await second.close();
    for (const stranger of [reviewer, unnamed]) {
      expect(readRefusal(await stranger.call('finished_step', last)).message).toBe(NO_SESSION);
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
    expect(readRefusal(await reviewer.call('finished_step', DONE)).message).toBe(NO_SESSION);
    expect((await writer.ok('get_active_workflow')).stack).toHaveLength(1);
  });
});

test('a nested start that is repeated after a restart says again what it is nested in', async () => {
  const project = newDemo();
  const inner = { ...START, goal: 'inner' };
  const first = await connectToProcess(project.root, { closeAfterTest: false });
  const outer = await first.ok('start_workflow', START);
  const { begin_step } = await first.ok('start_workflow', inner);
  process.kill(first.pid, 'SIGKILL');
  await until(() => !isAlive(first.pid));
  const second = await connect(project.root);
  const again = await second.ok('start_workflow', inner);
  expect(again.begin_step.session_id).toBe(begin_step.session_id);
  expect(again.warnings.join()).toContain(`Nested in session ${outer.begin_step.session_id}`);
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

const AS_WRITER = ['--agent', 'writer'];
