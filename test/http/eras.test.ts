// Every era of the protocol over HTTP, with the official client, on one server; and the direct
// methods without any era.

import { inputRequired, Server } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { callsOf } from '../support/calls.ts';
import {
  connectOverHttp,
  HTTP_ERAS,
  INITIALIZE,
  openSession,
  post,
  stateless,
} from '../support/http.ts';
import { serveInProcess } from '../support/in-process-http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { newProject, writeJob } from '../support/project.ts';
import { verifies } from '../verifies.ts';

function aProject() {
  const project = newProject();
  writeJob(project, 'demo', { a: { outputs: { report: 'file' } } }, { main: ['a'] });
  return project;
}

test('clients of every era run a workflow on one server', async () => {
  const project = aProject();
  const { url } = await serveHttpInProcess(project.root);
  for (const era of HTTP_ERAS) {
    const headers = { 'x-sgai-agent-identity': `agent-${era}` };
    const { ok } = callsOf(await connectOverHttp(url, { era, headers }));
    const begun = await ok('start_workflow', {
      job_name: 'demo',
      workflow_name: 'main',
      goal: era,
    });
    expect(begun.begin_step.step_id).toBe('a');
    const report = project.write(`${era}.md`, 'Done.');
    const finished = await ok('finished_step', { outputs: { report } });
    expect(finished.status).toBe('workflow_complete');
  }
});

test('a list of tools that can be cached is private', async () => {
  const { url } = await serveHttpInProcess(aProject().root);
  const { body } = await post(`${url}/mcp`, stateless('tools/list'), {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/list',
  });
  expect(body.result.cacheScope).toBe('private');
});

test('direct methods answer without a handshake, as over stdio', async () => {
  verifies('GUIDE-1', 'GUIDE-4');
  const { url } = await serveHttpInProcess(aProject().root);
  const listed = await post(`${url}/mcp`, {
    jsonrpc: '2.0',
    id: 1,
    method: 'workflow_list',
    params: null,
  });
  expect(listed.status).toBe(200);
  expect(listed.body).toMatchObject({ jsonrpc: '2.0', id: 1 });
  const client = await connectOverHttp(url);
  const { structuredContent } = await client.callTool({ name: 'workflow_list', arguments: {} });
  expect(listed.body.result).toEqual(structuredContent);

  const silent = await post(`${url}/mcp`, { jsonrpc: '2.0', method: 'workflow_list' });
  expect(silent).toMatchObject({ status: 202, body: '' });
  const refusals: [unknown, number, unknown][] = [
    ['{"jsonrpc":', -32700, null],
    [[{ jsonrpc: '2.0', id: 1, method: 'workflow_list' }], -32600, null],
    [{ jsonrpc: '2.0', id: {}, method: 'workflow_list' }, -32600, null],
    [{ jsonrpc: '2.0', id: 2, method: 'workflow_nothing' }, -32601, 2],
    [{ jsonrpc: '2.0', id: 3, method: 'workflow_get', params: { id: 'no-such' } }, -32001, 3],
  ];
  for (const [message, code, id] of refusals) {
    const { body } = await post(`${url}/mcp`, message);
    expect(body).toMatchObject({ id, error: { code } });
  }
});

test('a method that does not exist is refused by name, in every era', async () => {
  verifies('GUIDE-3');
  const { url } = await serveHttpInProcess(aProject().root);
  const absent = (method: string) => ({ code: -32601, data: { method } });
  for (const era of ['handshake', 'sse'] as const) {
    const client = await connectOverHttp(url, { era });
    for (const method of ['no/such', 'workflow_nothing', 'resources/list']) {
      const asked = client.request({ method }, z.looseObject({}));
      await expect(asked, `${era}: ${method}`).rejects.toMatchObject(absent(method));
    }
  }
  for (const method of ['no/such', 'resources/list', 'ping']) {
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method };
    const { status, body } = await post(`${url}/mcp`, stateless(method), headers);
    expect({ status, ...body }).toMatchObject({ status: 404, id: 1, error: absent(method) });
  }
});

test('/mcp is exact, and headers must agree with the body', async () => {
  verifies('TEAM-6');
  const { url } = await serveHttpInProcess(aProject().root);
  for (const path of ['/mcp/', '/MCP', '/mcp/x', '/.well-known/oauth-authorization-server']) {
    expect((await post(`${url}${path}`, INITIALIZE)).status, path).toBe(404);
    expect((await fetch(`${url}${path}`)).status, path).toBe(404);
  }
  const named = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
  const mismatches = [
    { ...named, 'mcp-method': 'tools/call' },
    { ...named, 'mcp-protocol-version': '2025-11-25' },
  ];
  for (const headers of mismatches) {
    const { status, body } = await post(`${url}/mcp`, stateless('tools/list'), headers);
    expect({ status, code: body.error.code }).toEqual({ status: 400, code: -32020 });
  }
  const future = JSON.parse(
    JSON.stringify(stateless('tools/list')).replaceAll('2026-07', '2099-07'),
  );
  const unknown = await post(`${url}/mcp`, future, {
    ...named,
    'mcp-protocol-version': '2099-07-28',
  });
  expect(unknown).toMatchObject({ status: 400, body: { error: { code: -32022 } } });

  const session = await openSession(url);
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const inSession = (version: string) =>
    post(`${url}/mcp`, ping, { ...session, 'mcp-protocol-version': version });
  expect(await inSession('1999-01-01')).toMatchObject({
    status: 400,
    body: { error: { code: -32022 } },
  });
  expect(await inSession('2025-11-25')).toMatchObject({ status: 200, body: { id: 1, result: {} } });
});

test('a session begins with initialize and ends with DELETE', async () => {
  const { url } = await serveHttpInProcess(aProject().root);
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  expect((await post(`${url}/mcp`, ping)).status).toBe(400);
  const headers = await openSession(url);
  expect((await post(`${url}/mcp`, ping, headers)).status).toBe(200);
  expect((await fetch(`${url}/mcp`, { method: 'DELETE', headers })).status).toBe(200);
  expect((await post(`${url}/mcp`, ping, headers)).status).toBe(404);
  expect((await fetch(`${url}/mcp`, { method: 'DELETE', headers })).status).toBe(404);
  expect((await post(`${url}/mcp`, ping, { 'mcp-session-id': 'none' })).status).toBe(404);
});

/** A server with one tool, which asks its client for a colour. */
function askingServer(): Server {
  const server = new Server({ name: 'asking', version: '1' }, { capabilities: { tools: {} } });
  const properties = { colour: { type: 'string' } };
  const requestedSchema = { type: 'object', properties } as never;
  const q = inputRequired.elicit({ message: 'Which colour?', requestedSchema });
  server.setRequestHandler('tools/call', async () => inputRequired({ inputRequests: { q } }));
  return server;
}

test('a client that accepts no streams is not left waiting', async () => {
  const { url } = await serveInProcess({ createServer: askingServer });
  const send = (message: object, headers: Record<string, string> = {}) =>
    fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'plain', version: '1' },
  };
  const opened = await send({ id: 1, method: 'initialize', params });
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') as string };
  const answer = await send({ id: 2, method: 'tools/call', params: { name: 'ask' } }, session);
  expect(await answer.json()).toMatchObject({ result: { isError: true } });
});
