// What a client could make grow, and how a full disk is detected.

import { readFileSync } from 'node:fs';
import net from 'node:net';
import { Server } from '@modelcontextprotocol/server';
import { expect, onTestFinished, test } from 'vitest';
import {
  INITIALIZE,
  openSession,
  post,
  rawPost,
  sendRaw,
  serveOverHttp,
  statusOf,
} from '../support/http.ts';
import { serveInProcess } from '../support/in-process-http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { newProject } from '../support/project.ts';
import { until } from '../support/until.ts';

test('health is checked by writing', async () => {
  const project = newProject();
  const { url } = await serveHttpInProcess(project.root);
  const well = await fetch(`${url}/healthz`);
  expect(well.status).toBe(200);
  expect(well.headers.get('cache-control')).toBe('no-store');
  expect(await well.json()).toMatchObject({ status: 'ok', root: project.root, reason: null });
  // Nothing can be written if a file is in the way.
  const broken = newProject();
  broken.write('.deepwork/journal', 'in the way');
  const other = await serveHttpInProcess(broken.root);
  const ill = await fetch(`${other.url}/healthz`);
  expect(ill.status).toBe(503);
  expect(await ill.json()).toMatchObject({ status: 'failing', write_ms: null });
});

test('streams of the oldest era are limited, and only GET opens one', async () => {
  const { url } = await serveInProcess({ limits: { eventStreams: 2 } });
  for (let times = 0; times < 3; times++) {
    expect((await fetch(`${url}/sse`, { method: 'HEAD' })).status).toBe(405);
  }
  const first = await fetch(`${url}/sse`);
  await fetch(`${url}/sse`);
  expect((await fetch(`${url}/sse`)).status).toBe(503);
  await first.body?.cancel();
  let status = 503;
  while (status === 503) status = (await fetch(`${url}/sse`)).status;
  expect(status).toBe(200);
});

test('requests that wait behind a stream are over when their client leaves', async () => {
  const { url, port } = await serveInProcess({ limits: { requests: 2 } });
  const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
  const isFree = async () => (await fetch(`${url}/healthz`)).status === 200;
  const socket = net.connect(port, '127.0.0.1').on('error', () => {});
  socket.write(`${ask('/sse')}${ask('/healthz')}`);
  await until(async () => !(await isFree()));
  socket.destroy();
  await until(isFree);
  const stream = await fetch(`${url}/sse`);
  expect(await isFree()).toBe(true);
  await stream.body?.cancel();
});

test.skipIf(process.platform !== 'linux')(
  'a body that comes byte by byte takes no more memory than its size',
  async () => {
    const { port, child, url } = await serveOverHttp(newProject().root);
    const socket = net.connect(port, '127.0.0.1');
    socket.on('error', () => {});
    onTestFinished(() => void socket.destroy());
    const head = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n`;
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
    await new Promise((done) => socket.write('1\r\n \r\n'.repeat(6 * 1024 * 1024), done));
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const [, kilobytes] =
      /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
    expect(Number(kilobytes)).toBeLessThan(1024 * 1024);
  },
);

test('the length of an id and the depth of a message are limited', async () => {
  const { url } = await serveInProcess();
  const ask = (id: string, method: string) => post(`${url}/mcp`, { jsonrpc: '2.0', id, method });
  expect((await ask('x'.repeat(1024), 'workflow_list')).status).toBe(200);
  for (const method of ['workflow_list', 'ping', 'initialize']) {
    const id = 'x'.repeat(1025);
    const { status, body } = await ask(id, method);
    expect([status, body.id, body.error.code], method).toEqual([400, id, -32600]);
  }
  const session = await openSession(url);
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  const messages: [string, unknown][] = [
    [`{"jsonrpc":"2.0","id":1,"result":{"content":${deep}}}`, null],
    [`{"jsonrpc":"2.0","method":"notifications/initialized","params":{"x":${deep}}}`, null],
    [`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"x":${deep}}}`, 2],
  ];
  for (const [message, id] of messages) {
    const { status, body } = await post(`${url}/mcp`, message, session);
    expect([status, body.id, body.error?.code], message.slice(0, 60)).toEqual([400, id, -32600]);
  }
  // These report which parameter it is.
  for (const ask of [
    `"method":"workflow_next","params":{"workflowId":"x","completedSteps":[],"context":{"x":${deep}}}`,
    `"method":"tools/call","params":{"name":"start_workflow","arguments":{"context":{"x":${deep}}}}`,
  ]) {
    const { body } = await post(`${url}/mcp`, `{"jsonrpc":"2.0","id":3,${ask}}`, session);
    expect(JSON.stringify(body), ask.slice(0, 40)).toContain('is nested deeper than 64');
  }
  const first = JSON.stringify(INITIALIZE).replace(
    '"capabilities":{}',
    `"capabilities":{"x":${deep}}`,
  );
  const { status, body } = await post(`${url}/mcp`, first);
  expect([status, body.id, body.error.code]).toEqual([400, 'hello', -32600]);
});

test('every header is checked, however many there are', async () => {
  const { port } = await serveInProcess();
  const ask = (more: string) =>
    sendRaw(
      port,
      `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n${more}\r\n`,
    );
  expect(statusOf(await ask('A:b\r\n'.repeat(2100)))).toBe(200);
  expect(statusOf(await ask(`${'A:b\r\n'.repeat(2100)}Origin: http://evil.example\r\n`))).toBe(403);
  expect(statusOf(await ask('A:b\r\n'.repeat(20_000)))).toBe(431);
});

test('a client that does not read its stream is disconnected', async () => {
  let told = 0;
  let finished = false;
  const createServer = () => {
    const server = new Server({ name: 'talker', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/call', async (_request, context) => {
      const params = { progressToken: 1, progress: 1, message: 'x'.repeat(64 * 1024) };
      for (; told < 2000 && !finished; told++) {
        await context.mcpReq.notify({ method: 'notifications/progress', params });
        await new Promise((resolve) => setImmediate(resolve));
      }
      finished = true;
      return { content: [] };
    });
    return server;
  };
  const { url, port } = await serveInProcess({ createServer });
  const headers = await openSession(url);
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'talk', _meta: { progressToken: 1 } },
  });
  const socket = net.connect(port, '127.0.0.1');
  let closed = false;
  socket.on('error', () => {});
  socket.on('close', () => {
    closed = true;
  });
  socket.pause();
  socket.write(rawPost(port, body, { headers }));
  await until(() => finished);
  // Its unread data never exceeded the limit; now it finds the end.
  socket.resume();
  await until(() => closed);
  expect(socket.bytesRead).toBeLessThan(40 * 1024 * 1024);
});
