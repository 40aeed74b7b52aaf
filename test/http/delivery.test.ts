// A message counts as read once the answer that contains it was sent, in every era.

import { readFileSync } from 'node:fs';
import net from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import {
  connectOverHttp,
  HTTP_ERAS,
  INITIALIZE,
  post,
  serveOverHttp,
  stateless,
} from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { until } from '../support/until.ts';
import { LOG, newTeam } from '../team/support.ts';
import { verifies } from '../verifies.ts';

const AS_A = { 'x-sgai-agent-identity': 'a' };

function withMessage() {
  return withMessageAt(serveOverHttp);
}

async function withMessageAt<Server extends { readonly url: string }>(
  serve: (root: string) => Promise<Server>,
) {
  const project = newTeam({ a: [] });
  const server = await serve(project.root);
  const boss = await connectOverHttp(server.url);
  await boss.callTool({ name: 'send_message', arguments: { toAgent: 'a', body: 'one' } });
  const log = () => readFileSync(project.path(LOG), 'utf8');
  return { ...server, log };
}

function requestOf(port: number, path: string, body: string, headers: readonly string[]): string {
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    'X-SGAI-Agent-Identity: a',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** Sends one request, and is gone before it could be answered. */
async function askAndLeave(port: number, path: string, body: string, headers: string[]) {
  const socket = net.connect(port, '127.0.0.1');
  socket.write(requestOf(port, path, body, headers), () => socket.destroy());
  await new Promise((resolve) => socket.once('close', resolve));
}

/** Sends one request, and is gone as soon as it has read the answer. */
function askAndRead(port: number, body: string, headers: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1').setEncoding('utf8');
    socket.write(requestOf(port, '/mcp', body, headers));
    let text = '';
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      text += chunk;
      if (text.includes('"jsonrpc"')) socket.destroy();
    });
    socket.on('close', () => resolve(text));
  });
}

test.each(HTTP_ERAS)('an answer that was written moves the cursor: %s', async (era) => {
  verifies('TEAM-22');
  const { url, log } = await withMessageAt(serveHttpInProcess);
  const reader = await connectOverHttp(url, { era, headers: AS_A });
  const check = async () =>
    (
      (await reader.callTool({ name: 'check_inbox', arguments: {} })).content as { text: string }[]
    )[0]?.text;
  expect(await check()).toMatch(/^You have 1 message\(s\):\n\nMessage 1: \(ID: 1, [^,]*\)/);
  await until(() => log().includes('"type":"received"'));
  expect(await check()).toBe('You have no messages.');
});

test.each(['handshake', 'stateless'] as const)(
  'an answer that could not be written is given again: %s',
  async (era) => {
    verifies('TEAM-23');
    const { url, port, log } = await withMessage();
    const params = { name: 'check_inbox', arguments: {} };
    if (era === 'handshake') {
      const session = (await post(`${url}/mcp`, INITIALIZE)).headers.get('mcp-session-id');
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
      await askAndLeave(port, '/mcp', JSON.stringify(call), [`Mcp-Session-Id: ${session}`]);
    } else {
      await askAndLeave(port, '/mcp', JSON.stringify(stateless('tools/call', params)), [
        'MCP-Protocol-Version: 2026-07-28',
        'Mcp-Method: tools/call',
        'Mcp-Name: check_inbox',
      ]);
    }
    await until(() => /"type":"(?:returned|received)"/.test(log()));
    const reader = await connectOverHttp(url, { headers: AS_A });
    const { content } = await reader.callTool(params);
    expect((content as { text: string }[])[0]?.text).toMatch(
      /Message 1: \(ID: 1, .*, redelivered\)/,
    );
  },
);

/** A persistent connection, so that its data is read together with other events. */
async function keepConnection(port: number) {
  const socket = net.connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  return {
    text: () => text,
    post(path: string, message: object): Promise<void> {
      const body = JSON.stringify({ jsonrpc: '2.0', ...message });
      const head = [
        ...[`POST ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, 'X-SGAI-Agent-Identity: a'],
        ...['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`],
      ];
      return new Promise((resolve) => {
        socket.write(`${head.join('\r\n')}\r\n\r\n${body}`, () => resolve());
      });
    },
  };
}

/**
 * Checks the inbox over a stream of the oldest era that ends during the call: the server is held
 * until both have arrived. Returns what the journal says about the answer.
 */
async function checkAndLeave({ url, port, child, log }: Awaited<ReturnType<typeof withMessage>>) {
  const stream = new AbortController();
  const opened = await fetch(`${url}/sse`, { signal: stream.signal });
  const reader = (opened.body as ReadableStream<Uint8Array>).getReader();
  const { value } = await reader.read();
  const path = /data: (\S+)/.exec(Buffer.from(value ?? []).toString())?.[1] ?? '';
  const sender = await keepConnection(port);
  await sender.post(path, INITIALIZE);
  await reader.read();
  const before = log().length;
  const accepted = sender.text().length;
  child.kill('SIGSTOP');
  const params = { name: 'check_inbox', arguments: {} };
  await sender.post(path, { id: 1, method: 'tools/call', params });
  stream.abort();
  child.kill('SIGCONT');
  await until(() => sender.text().length > accepted);
  if (!/ 202 /.test(sender.text().slice(accepted))) return 'too late';
  await until(() => /"type":"(?:returned|received)"/.test(log().slice(before)));
  return log().slice(before).includes('"type":"returned"') ? 'returned' : 'received';
}

test('an event that was not read from a stream of the oldest era is given again', async () => {
  verifies('TEAM-23');
  const server = await withMessage();
  const boss = await connectOverHttp(server.url);
  const again = await connectOverHttp(server.url, { headers: AS_A });
  // Which of the two the server sees first is not determined.
  for (let tries = 0; tries < 20; tries++) {
    const fate = await checkAndLeave(server);
    const { content } = await again.callTool({ name: 'check_inbox', arguments: {} });
    const text = (content as { text: string }[])[0]?.text;
    if (fate === 'received') expect(text).toBe('You have no messages.');
    else expect(text).toMatch(/^You have 1 message/);
    if (fate === 'returned') {
      expect(text).toMatch(/, redelivered\)/);
      return;
    }
    await boss.callTool({ name: 'send_message', arguments: { toAgent: 'a', body: `${tries}` } });
  }
  expect.fail('the answer was never under way when the stream ended');
});

test.each([
  ['closes its connection at once', []],
  ['asked the server to close it', ['Connection: close']],
])('an answer that was read counts as delivered to a client that %s', async (_how, headers) => {
  verifies('TEAM-22');
  const { url, port, log } = await withMessage();
  const session = (await post(`${url}/mcp`, INITIALIZE)).headers.get('mcp-session-id');
  const boss = await connectOverHttp(url);
  const params = { name: 'check_inbox', arguments: {} };
  for (let round = 1; round <= 20; round += 1) {
    const call = { jsonrpc: '2.0', id: round, method: 'tools/call', params };
    const given = [`Mcp-Session-Id: ${session}`, ...headers];
    const text = await askAndRead(port, JSON.stringify(call), given);
    expect(text).toContain(`(ID: ${round},`);
    await until(() => outcomesIn(log()).length === round);
    expect(outcomesIn(log())).toEqual(Array.from({ length: round }, () => 'received'));
    await boss.callTool({ name: 'send_message', arguments: { toAgent: 'a', body: `${round}` } });
  }
});

/** What came of the answers with messages. */
function outcomesIn(log: string): string[] {
  return [...log.matchAll(/"type":"(returned|received)"/g)].map(([, type]) => type ?? '');
}
