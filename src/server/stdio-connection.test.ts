import { PassThrough, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import type { RpcMessage } from './rpc-message.ts';
import { openStdioConnection } from './stdio-connection.ts';

const ask = (id: number) => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`;
const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

/** A client that reads only on request. */
function openClient() {
  const unread: (() => void)[] = [];
  const output = new Writable({
    highWaterMark: 1000,
    write: (_chunk, _encoding, written) => void unread.push(() => written()),
  });
  const input = new PassThrough();
  const connection = openStdioConnection(input, output);
  const received: RpcMessage[] = [];
  connection.handOver((message) => received.push(message));
  return {
    connection,
    input,
    output,
    received,
    readAll: async () => {
      while (unread.length > 0) {
        unread.shift()?.();
        await turn();
      }
    },
  };
}

test('no more is read from a client that does not read its answers', async () => {
  const { connection, input, received, readAll } = openClient();
  input.write(ask(1));
  await turn();
  void connection.send({ jsonrpc: '2.0', id: 1, result: 'x'.repeat(2000) });
  for (let id = 2; id < 2000; id++) input.write(ask(id));
  await turn();
  expect(received).toHaveLength(1);
  expect(input.isPaused()).toBe(true);
  await readAll();
  expect(received.length).toBeGreaterThan(1);
  expect(received.map(({ id }) => id)).toEqual(received.map((_, at) => at + 1));
});

test('the number of unanswered calls is limited, and each answer makes room', async () => {
  const { connection, input, received, readAll } = openClient();
  for (let id = 1; id <= 600; id++) input.write(ask(id));
  await turn();
  expect(received).toHaveLength(256);
  for (let id = 1; id <= 600; id++) {
    void connection.send({ jsonrpc: '2.0', id, result: {} });
    await readAll();
  }
  expect(received).toHaveLength(600);
});

test('a cancelled call, which is never answered, makes room, too', async () => {
  const { input, received } = openClient();
  const cancel = (requestId: number) =>
    `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })}\n`;
  for (let id = 1; id <= 255; id++) input.write(ask(id));
  for (let id = 1; id <= 100; id++) input.write(cancel(id));
  for (let id = 300; id <= 500; id++) input.write(ask(id));
  await turn();
  expect(received.filter(({ id }) => id !== undefined)).toHaveLength(256 + 100);
});
