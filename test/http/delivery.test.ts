// A message counts as read once the answer that contains it was sent, in every era.

import { readFileSync } from 'node:fs';
import net from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { callsOf } from '../support/calls.ts';
import {
  connectOverHttp,
  HTTP_ERAS,
  INITIALIZE,
  openSession,
  openStream,
  rawPost,
  serveOverHttp,
  stateless,
} from '../support/http.ts';
import { until } from '../support/until.ts';
import { LOG, newTeam } from '../team/support.ts';
import { verifies } from '../verifies.ts';

const AS_A = { 'x-sgai-agent-identity': 'a' };
type Headers = Readonly<Record<string, string>>;

/** A server with a message to `a`, and its team's journal. */
async function withMessage() {
  const project = newTeam({ a: [] });
  const server = await serveOverHttp(project.root);
  const boss = await connectOverHttp(server.url);
  await boss.callTool({ name: 'send_message', arguments: { toAgent: 'a', body: 'one' } });
  const log = () => readFileSync(project.path(LOG), 'utf8');
  return { ...server, log };
}

/** Sends one request, and is gone before it could be answered. */
async function askAndLeave(port: number, body: string, headers: Headers) {
  const socket = net.connect(port, '127.0.0.1');
  const request = rawPost(port, body, { headers: { ...AS_A, ...headers } });
  socket.write(request, () => socket.destroy());
  await new Promise((resolve) => socket.once('close', resolve));
}

/** Sends one request, and is gone as soon as it has read the answer. */
function askAndRead(port: number, body: string, headers: Headers): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1').setEncoding('utf8');
    socket.write(rawPost(port, body, { headers: { ...AS_A, ...headers } }));
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
  const { url, log } = await withMessage();
  const reader = await connectOverHttp(url, { era, headers: AS_A });
  const check = async () => (await callsOf(reader).call('check_inbox')).text;
  expect(await check()).toContain('(ID: 1, ');
  await until(() => log().includes('"type":"received"'));
  expect(await check()).not.toContain('ID:');
});

test.each(['handshake', 'stateless'] as const)(
  'an answer that could not be written is given again: %s',
  async (era) => {
    verifies('TEAM-23');
    const { url, port, log } = await withMessage();
    const params = { name: 'check_inbox', arguments: {} };
    if (era === 'handshake') {
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
      await askAndLeave(port, JSON.stringify(call), await openSession(url));
    } else {
      await askAndLeave(port, JSON.stringify(stateless('tools/call', params)), {
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': 'tools/call',
        'Mcp-Name': 'check_inbox',
      });
    }
    await until(() => /"type":"(?:returned|received)"/.test(log()));
    const reader = await connectOverHttp(url, { headers: AS_A });
    const { text } = await callsOf(reader).call('check_inbox');
    expect(text).toMatch(/\(ID: 1, .*, redelivered\)/);
  },
);

/**
 * Checks the inbox over a stream of the oldest era that ends during the call: the server is held
 * until both have arrived. Returns what the journal says about the answer.
 */
async function checkAndLeave({ url, port, child, log }: Awaited<ReturnType<typeof withMessage>>) {
  const stream = new AbortController();
  const { messages, read } = await openStream(url, { signal: stream.signal });
  const path = messages.slice(url.length);
  // One connection, so that its data is read together with other events.
  const sender = net.connect(port, '127.0.0.1').setEncoding('utf8');
  onTestFinished(() => void sender.destroy());
  let answers = '';
  sender.on('data', (chunk) => {
    answers += chunk;
  });
  const send = (message: object) =>
    new Promise<unknown>((resolve) => {
      const body = JSON.stringify({ jsonrpc: '2.0', ...message });
      sender.write(rawPost(port, body, { path, headers: AS_A }), resolve);
    });
  await send(INITIALIZE);
  await read();
  const before = log().length;
  const accepted = answers.length;
  child.kill('SIGSTOP');
  const params = { name: 'check_inbox', arguments: {} };
  await send({ id: 1, method: 'tools/call', params });
  stream.abort();
  child.kill('SIGCONT');
  await until(() => answers.length > accepted);
  if (!/ 202 /.test(answers.slice(accepted))) return 'too late';
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
    const { text } = await callsOf(again).call('check_inbox');
    expect(text.includes('(ID: ')).toBe(fate !== 'received');
    if (fate === 'returned') {
      expect(text).toContain(', redelivered)');
      return;
    }
    await boss.callTool({ name: 'send_message', arguments: { toAgent: 'a', body: `${tries}` } });
  }
  expect.fail('the answer was never under way when the stream ended');
});

test.each([
  ['closes its connection at once', {}],
  ['asked the server to close it', { Connection: 'close' }],
])('an answer that was read counts as delivered to a client that %s', async (_how, headers) => {
  verifies('TEAM-22');
  const { url, port, log } = await withMessage();
  const session = await openSession(url);
  const boss = await connectOverHttp(url);
  const params = { name: 'check_inbox', arguments: {} };
  for (let round = 1; round <= 10; round += 1) {
    const call = { jsonrpc: '2.0', id: round, method: 'tools/call', params };
    const text = await askAndRead(port, JSON.stringify(call), { ...session, ...headers });
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
