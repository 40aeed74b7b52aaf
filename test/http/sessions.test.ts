// How long a session lives, and how many there may be.

import { Server } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import type { McpOptions } from '../../src/server/mcp.ts';
import { INITIALIZE, openSession, openStream, post } from '../support/http.ts';
import { serveInProcess } from '../support/in-process-http.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';

const MINUTE = 60_000;
const PING = { jsonrpc: '2.0', id: 'ping', method: 'ping' };

const statusOfPing = async (url: string, headers: Record<string, string>) =>
  (await post(`${url}/mcp`, PING, headers)).status;

/** A server with one tool, whose calls end on request. */
function patientServer() {
  let release = () => {};
  let waiting = 0;
  const delivered: boolean[] = [];
  const createServer = (options: McpOptions) => {
    const server = new Server({ name: 'patient', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/call', async (_request, context) => {
      waiting += 1;
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      waiting -= 1;
      void options.delivered?.(context).then((written) => delivered.push(written));
      return { content: [] };
    });
    return server;
  };
  return { createServer, release: () => release(), waiting: () => waiting, delivered };
}

test('thirty idle minutes end a session; a running call keeps it, and its end counts as use', async () => {
  verifies('TEAM-7');
  let now = 1;
  const patient = patientServer();
  const { url } = await serveInProcess({ now: () => now, createServer: patient.createServer });
  const session = await openSession(url);
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait' } };
  const answer = post(`${url}/mcp`, call, session);
  await until(() => patient.waiting() === 1);
  now += 600 * MINUTE;
  expect(await statusOfPing(url, session)).toBe(200);
  now += 600 * MINUTE;
  patient.release();
  expect((await answer).status).toBe(200);
  await until(() => patient.delivered.length === 1);
  expect(patient.delivered).toEqual([true]);
  now += 30 * MINUTE - 1;
  expect(await statusOfPing(url, session)).toBe(200);
  now += 30 * MINUTE;
  expect(await statusOfPing(url, session)).toBe(404);
});

test('an open stream keeps its session', async () => {
  verifies('TEAM-7');
  let now = 1;
  const { url } = await serveInProcess({ now: () => now });
  const session = await openSession(url);
  const stream = new AbortController();
  const headers = { ...session, accept: 'text/event-stream' };
  const opened = await fetch(`${url}/mcp`, { headers, signal: stream.signal });
  expect(opened.headers.get('content-type')).toBe('text/event-stream');
  expect((await fetch(`${url}/mcp`, { headers })).status).toBe(409);
  now += 600 * MINUTE;
  expect(await statusOfPing(url, session)).toBe(200);
  stream.abort();
  // The server notices a moment later; then there is room for another.
  let again = await fetch(`${url}/mcp`, { headers });
  while (again.status === 409) again = await fetch(`${url}/mcp`, { headers });
  expect(again.status).toBe(200);
  await again.body?.cancel();
});

test('if there are too many sessions, an idle one is ended', async () => {
  let now = 1;
  const { url } = await serveInProcess({ now: () => now++, limits: { sessions: 3 } });
  const used = await openSession(url);
  await statusOfPing(url, used);
  await post(`${url}/mcp`, { jsonrpc: '2.0', method: 'notifications/initialized' }, used);
  const unused = [await openSession(url), await openSession(url)];
  const newest = await openSession(url);
  expect(await statusOfPing(url, unused[0] as Record<string, string>)).toBe(404);
  for (const session of [used, unused[1] as Record<string, string>, newest]) {
    expect(await statusOfPing(url, session)).toBe(200);
  }
});

test('if all are busy, the next is refused with retry-after', async () => {
  const { url } = await serveInProcess({ limits: { sessions: 1 } });
  const session = await openSession(url);
  const stream = new AbortController();
  await fetch(`${url}/mcp`, {
    headers: { ...session, accept: 'text/event-stream' },
    signal: stream.signal,
  });
  const refused = await post(`${url}/mcp`, INITIALIZE);
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('5');
  stream.abort();
  expect(await statusOfPing(url, session)).toBe(200);
});

test('a cancelled call ends its request and frees its session', async () => {
  let now = 1;
  const patient = patientServer();
  const { url } = await serveInProcess({ now: () => now, createServer: patient.createServer });
  const session = await openSession(url);
  const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'wait' } };
  const answer = post(`${url}/mcp`, call, session);
  await until(() => patient.waiting() === 1);
  expect((await post(`${url}/mcp`, call, session)).status).toBe(400);
  const params = { requestId: 7, reason: 'enough' };
  await post(`${url}/mcp`, { jsonrpc: '2.0', method: 'notifications/cancelled', params }, session);
  expect((await answer).status).toBe(204);
  patient.release();
  await until(() => patient.delivered.length === 1);
  expect(patient.delivered).toEqual([false]);
  now += 30 * MINUTE;
  expect(await statusOfPing(url, session)).toBe(404);
});

test('a stream of the oldest era refuses a running id, and drops a cancelled call', async () => {
  const patient = patientServer();
  const { url } = await serveInProcess({ createServer: patient.createServer });
  const { messages } = await openStream(url);
  const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'wait' } };
  expect((await post(messages, INITIALIZE)).status).toBe(202);
  expect((await post(messages, call)).status).toBe(202);
  await until(() => patient.waiting() === 1);
  const again = await post(messages, call);
  expect(again.status).toBe(400);
  expect(again.body.error.code).toBe(-32600);
  const params = { requestId: 7 };
  await post(messages, { jsonrpc: '2.0', method: 'notifications/cancelled', params });
  patient.release();
  await until(() => patient.delivered.length === 1);
  expect(patient.delivered).toEqual([false]);
  expect((await post(messages, call)).status).toBe(202);
  await until(() => patient.waiting() === 1);
  patient.release();
  await until(() => patient.delivered.length === 2);
  expect(patient.delivered).toEqual([false, true]);
});
