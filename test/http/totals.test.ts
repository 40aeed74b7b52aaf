// What all clients together can make a server hold.

import net from 'node:net';
import { Server } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { openSession, openStream, post, rawPost } from '../support/http.ts';
import { serveInProcess } from '../support/in-process-http.ts';
import { until } from '../support/until.ts';

const KIB = 1024;
const LIST = { jsonrpc: '2.0', id: 1, method: 'workflow_list' };

/** A connection that sends and does not read. */
function openConnection(port: number) {
  const socket = net.connect(port, '127.0.0.1');
  let text = '';
  let closed = false;
  socket.on('error', () => {});
  socket.on('close', () => {
    closed = true;
  });
  socket.pause();
  return {
    socket,
    closed: () => closed,
    read() {
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.resume();
    },
    text: () => text,
  };
}

/** A server with one tool that answers with half a megabyte, or waits forever. */
function createServer(): Server {
  const server = new Server({ name: 'talker', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/call', async ({ params }) => {
    if (params.name === 'wait') await new Promise(() => {});
    return { content: [{ type: 'text', text: 'x'.repeat(512 * KIB) }] };
  });
  return server;
}

const call = (name: string, id: number) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } });

test('Unfinished bodies are bounded in total, and small requests still get through', async () => {
  const { url, port } = await serveInProcess({ limits: { allBodyBytes: 1024 * KIB } });
  const senders = Array.from({ length: 8 }, () => openConnection(port));
  for (const { socket } of senders) {
    socket.write(rawPost(port, { length: 900 * KIB }));
    socket.write('x'.repeat(600 * KIB));
  }
  for (const sender of senders) sender.read();
  // One fits and stays; each of the others gets the reason.
  await until(() => senders.filter(({ text }) => text().includes(' 503 ')).length === 7);
  expect((await post(`${url}/mcp`, LIST)).status).toBe(200);
  for (const { socket } of senders) socket.destroy();
  await until(async () => {
    const long = { ...LIST, id: 'x', params: { context: 'x'.repeat(800 * KIB) } };
    return (await post(`${url}/mcp`, long)).status !== 503;
  });
});

test('Unread answers are bounded in total: the client with the most unread bytes is disconnected', async () => {
  const limits = { allUnreadBytes: 4 * 1024 * KIB };
  const { url, port } = await serveInProcess({ createServer, limits });
  const headers = await openSession(url);
  let id = 0;
  const readers = Array.from({ length: 6 }, () => openConnection(port));
  for (const { socket } of readers) {
    for (let times = 0; times < 40; times++)
      socket.write(rawPost(port, call('talk', ++id), { headers }));
  }
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const polite = await post(`${url}/mcp`, call('talk', 1000), headers);
  expect(polite.status).toBe(200);
  // A disconnected client finds the end of its connection instead of its twenty megabytes.
  for (const reader of readers) reader.read();
  await until(() => readers.filter(({ closed }) => closed()).length >= 5);
  for (const { socket } of readers) socket.destroy();
  expect(readers.filter(({ text }) => text().length > 18 * 1024 * KIB)).toEqual([]);
});

test('Requests that wait for their answers are limited in number', async () => {
  const { url, port } = await serveInProcess({ createServer, limits: { requests: 5 } });
  const headers = await openSession(url);
  const { socket } = openConnection(port);
  for (let id = 1; id <= 5; id++) socket.write(rawPost(port, call('wait', id), { headers }));
  await until(async () => (await post(`${url}/mcp`, LIST)).status === 503);
  socket.destroy();
  await until(async () => (await post(`${url}/mcp`, LIST)).status === 200);
});

test('Unanswered calls of one stream of the oldest era are limited in number', async () => {
  const { url } = await serveInProcess({ createServer, limits: { callsOfStream: 3 } });
  const { messages, cancel } = await openStream(url);
  const statusOf = async (message: unknown) => (await post(messages, message)).status;
  for (const id of [1, 2, 3]) expect(await statusOf(call('wait', id))).toBe(202);
  expect(await statusOf(call('wait', 4))).toBe(503);
  const params = { requestId: 2 };
  expect(await statusOf({ jsonrpc: '2.0', method: 'notifications/cancelled', params })).toBe(202);
  expect(await statusOf(call('wait', 5))).toBe(202);
  await cancel();
});
