// Who calls over HTTP: by header, request by request.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openSession, post, type Replied, sendRaw, statusOf } from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { verifies } from '../verifies.ts';

function aProject(): Project {
  const project = newProject();
  writeJob(project, 'demo', { a: {} }, { main: ['a'] });
  return project;
}

function callAs(
  url: string,
  session: object,
  identity: string | null,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Replied> {
  const headers = identity === null ? undefined : { 'x-sgai-agent-identity': identity };
  return post(
    `${url}/mcp`,
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
    { ...session, ...headers },
  );
}

const start = { job_name: 'demo', workflow_name: 'main', goal: 'find out who asks' };

/** The owners of stacks, as in the journal. */
function owners(project: Project): string[] {
  const folder = project.path('.deepwork/journal/session');
  return readdirSync(folder).map((file) => {
    const [first] = readFileSync(path.join(folder, file), 'utf8').split('\n');
    return /"identity":"([^"]*)"/.exec(first as string)?.[1] ?? '';
  });
}

test('the header names the caller, part by part', async () => {
  verifies('TEAM-1');
  const forms: [string | null, string][] = [
    [null, 'agent:coordinator'],
    ['|m|v', 'agent:coordinator'],
    ['a', 'agent:a'],
    ['a|m|v', 'agent:a'],
    ['  b |  m  | ', 'agent:b'],
    ['Coordinator', 'agent:Coordinator'],
    ['c||v', 'agent:c'],
  ];
  const project = aProject();
  const { url } = await serveHttpInProcess(project.root);
  for (const [identity] of forms) {
    const { body } = await callAs(url, await openSession(url), identity, 'start_workflow', start);
    expect(body.result.isError, JSON.stringify(body)).toBeUndefined();
  }
  expect(owners(project).sort()).toEqual(forms.map(([, owner]) => owner).sort());
});

test('a header that is repeated or has a colon in its name is refused', async () => {
  verifies('TEAM-1');
  const project = aProject();
  const { url, port } = await serveHttpInProcess(project.root);
  const session = await openSession(url);
  for (const identity of ['a:b', 'a:|m', `${'x'.repeat(201)}`]) {
    const { status, body } = await callAs(url, session, identity, 'start_workflow', start);
    expect({ status, id: body.id }).toEqual({ status: 400, id: 1 });
  }
  const headers = { 'x-sgai-agent-identity': 'a:b' };
  for (const [message, id] of [
    [{ jsonrpc: '2.0', id: 'x', method: 'workflow_list' }, 'x'],
    [{ jsonrpc: '1.0', id: 2, method: 'ping' }, 2],
    [{ jsonrpc: '2.0', id: 3, result: {} }, null],
    [{ jsonrpc: '2.0', method: 'workflow_list' }, null],
    ['{"jsonrpc":"2.0","id":4', null],
  ] as const) {
    const { status, body } = await post(`${url}/mcp`, message, headers);
    expect({ status, id: body.id }).toEqual({ status: 400, id });
  }
  const twice = await sendRaw(
    port,
    `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\nX-SGAI-Agent-Identity: a\r\nx-sgai-agent-identity: a\r\n\r\n`,
  );
  expect(statusOf(twice)).toBe(400);
  expect((await callAs(url, session, 'a|x:y', 'get_workflows')).status).toBe(200);
});

test('the identity may change with every request of a session', async () => {
  verifies('TEAM-2');
  const project = aProject();
  const { url } = await serveHttpInProcess(project.root);
  const session = await openSession(url);
  const stackOf = async (identity: string | null) =>
    (await callAs(url, session, identity, 'get_active_workflow')).body.result.structuredContent;
  await callAs(url, session, 'ann', 'start_workflow', start);
  expect((await stackOf('ann')).active).toBe(true);
  expect((await stackOf('bob')).active).toBe(false);
  expect((await stackOf(null)).active).toBe(false);
  expect((await stackOf('ann')).active).toBe(true);
  // From another session, too: work belongs to the agent, not to its connection.
  const other = await openSession(url);
  const again = await callAs(url, other, 'ann', 'get_active_workflow');
  expect(again.body.result.structuredContent.active).toBe(true);
});

test('work and todos belong to the name of an agent, whichever model it runs on', async () => {
  verifies('TEAM-1', 'TEAM-13');
  const project = aProject();
  const { url } = await serveHttpInProcess(project.root);
  const session = await openSession(url);
  const as = async (identity: string, name: string, args?: Record<string, unknown>) =>
    (await callAs(url, session, identity, name, args)).body.result;
  await as('ann', 'start_workflow', start);
  const finished = await as('ann|opus|high', 'finished_step', { outputs: {} });
  expect(finished.structuredContent.status).toBe('workflow_complete');

  const todos = [{ content: 'proofread', agent: 'ann:opus' }];
  await as('coordinator', 'project_todowrite', { todos });
  for (const identity of ['ann', 'ann|haiku']) {
    const { content } = await as(identity, 'update_workflow_state', { status: 'agent-done' });
    expect(content[0].text).toContain('proofread');
  }
});
