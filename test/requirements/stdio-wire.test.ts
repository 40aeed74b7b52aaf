// The stdio wire, byte by byte: whatever comes in, each request is answered exactly once, only
// JSON-RPC is written, and the server neither dies nor outlives its client.

import { describe, expect, test } from 'vitest';
import { newProject, writeJob } from '../support/project.ts';
import {
  discover,
  INITIALIZED,
  initialize,
  type Lines,
  openSpeakingWire,
  openSpeakingWireInProcess,
  openWire,
  openWireInProcess,
  type Reply,
  request,
} from '../support/wire.ts';
import { verifies } from '../verifies.ts';

const LIST = 'tools/list';

/** Waits until the server has processed everything sent before: the last reply is a ping's. */
async function nothingElse(wire: Lines): Promise<void> {
  wire.send(request('last', 'ping'));
  expect(await wire.next(1), 'nothing else was answered').toMatchObject([{ id: 'last' }]);
}

function expectOnlyJsonRpc(wire: Lines): void {
  for (const line of wire.lines()) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
}

/** Sends one invalid line and returns the one reply to it; the wire must work afterwards. */
async function replyTo(wire: Lines, line: string | Uint8Array): Promise<Reply> {
  wire.write(line);
  wire.write('\n');
  const [reply] = await wire.next(1);
  await nothingElse(wire);
  return reply as Reply;
}

/** The replies to invalid lines sent all at once: exactly one for each. */
async function repliesTo(wire: Lines, lines: readonly string[]): Promise<Reply[]> {
  const before = wire.lines().length;
  wire.write(lines.map((line) => `${line}\n`).join(''));
  await expect.poll(() => wire.lines().length - before, { message: 'replies' }).toBe(lines.length);
  const replies = await wire.next(lines.length);
  await nothingElse(wire);
  return replies;
}

describe('lines that are not JSON-RPC', () => {
  test('are answered with a parse error', async () => {
    verifies('JOBS-REQ-001.7.1');
    const wire = await openSpeakingWireInProcess(newProject().root);
    const lines = [
      '{',
      'hello',
      '{"jsonrpc":"2.0","id":1,"method":"tools/list"',
      '\u0000',
      '['.repeat(200_000),
      Buffer.from([0xff, 0xfe, 0x80]),
    ];
    for (const line of lines) {
      expect(await replyTo(wire, line)).toMatchObject({ id: null, error: { code: -32700 } });
    }
    expectOnlyJsonRpc(wire);
  });

  test('are answered as invalid requests if they are other JSON', async () => {
    verifies('JOBS-REQ-001.7.1');
    const wire = await openSpeakingWireInProcess(newProject().root);
    const lines = [
      '[]',
      `[${JSON.stringify(request(1, LIST))}]`,
      '1',
      'null',
      'true',
      '"text"',
      '{}',
      '{"jsonrpc":"1.0","id":1,"method":"ping"}',
      '{"id":1,"method":"ping"}',
      '{"jsonrpc":"2.0","id":1}',
      '{"jsonrpc":"2.0","id":1,"method":7}',
    ];
    for (const line of lines) {
      const reply = await replyTo(wire, line);
      expect(reply, line).toMatchObject({ jsonrpc: '2.0', error: { code: -32600 } });
      expect([null, 1], line).toContain(reply.id);
    }
    expectOnlyJsonRpc(wire);
  });

  test('are answered as invalid requests if the id is invalid', async () => {
    verifies('JOBS-REQ-001.7.1');
    const wire = await openSpeakingWireInProcess(newProject().root);
    const ids = ['null', 'true', '{}', '[1]', '1e400'];
    const replies = await repliesTo(
      wire,
      ids.map((id) => `{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`),
    );
    for (const reply of replies) expect(reply).toMatchObject({ id: null, error: { code: -32600 } });
  });

  test('do not affect the handshake that follows them', async () => {
    verifies('JOBS-REQ-001.7.1');
    const wire = await openWireInProcess(newProject().root);
    wire.write('what?\n');
    wire.send(initialize(1), INITIALIZED, request(2, LIST));
    const replies = await wire.next(3);
    expect(replies[0]).toMatchObject({ id: null, error: { code: -32700 } });
    expect(replies[1]).toMatchObject({ id: 1, result: { serverInfo: { name: 'deepwork' } } });
    expect(replies[2]?.result.tools).toContainEqual(
      expect.objectContaining({ name: 'get_workflows' }),
    );
  });

  test('do not break the connection if they are longer than 10 MiB', async () => {
    verifies('JOBS-REQ-001.7.1');
    const wire = await openSpeakingWireInProcess(newProject().root);
    const long = JSON.stringify(request(1, LIST, { x: 'x'.repeat(11 * 1024 * 1024) }));
    expect(await replyTo(wire, long)).toMatchObject({ id: null, error: { code: -32600 } });
    const fits = JSON.stringify(request(2, 'no/such', { x: 'x'.repeat(9 * 1024 * 1024) }));
    expect(await replyTo(wire, fits)).toMatchObject({ id: 2, error: { code: -32601 } });
  });
});

describe('requests', () => {
  test('for an unknown tool or method are refused by name', async () => {
    verifies('JOBS-REQ-001.7.1');
    const wire = await openSpeakingWireInProcess(newProject().root);
    const ask = (method: string, params?: unknown) =>
      replyTo(wire, JSON.stringify(request(1, method, params)));
    expect(await ask('tools/call', { name: 'x', arguments: {} })).toMatchObject({
      id: 1,
      error: { code: -32602, message: 'unknown tool "x"' },
    });
    const absent = { code: -32601, message: 'Method not found' };
    for (const method of ['no/such', 'resources/list', 'server/discover', 'toString']) {
      expect((await ask(method)).error).toEqual({ ...absent, data: { method } });
    }
    const cut = { method: `a/${'x'.repeat(198)}` };
    expect((await ask(`a/${'x'.repeat(10_000)}`)).error).toEqual({ ...absent, data: cut });
    expect(await ask('tools/call', { name: '__proto__' })).toMatchObject({
      error: { code: -32602, message: 'unknown tool "__proto__"' },
    });
    const long = await ask('tools/call', { name: 'x'.repeat(1_000_000) });
    expect(long).toMatchObject({ id: 1, error: { code: -32602 } });
    expect(long.error.message.length).toBeLessThan(4096);
  });

  test('of the wrong shape are answered, too', async () => {
    verifies('JOBS-REQ-001.7.1');
    const wire = await openSpeakingWireInProcess(newProject().root);
    const bodies = [
      { method: 'tools/call', params: {} },
      { method: 'tools/call', params: { name: 7 } },
      { method: 'tools/call', params: { name: 'get_workflows', arguments: 'text' } },
      { method: 'tools/call', params: { name: 'get_workflows', arguments: [] } },
      { method: 'tools/call', params: 'text' },
      { method: 'tools/call', params: [1] },
      { method: 'tools/call', params: null },
      { method: 'tools/list', params: 'text' },
      { method: 'tools/list', params: { _meta: 5 } },
      { method: 'tools/list', params: { _meta: { progressToken: {} } } },
    ];
    const replies = await repliesTo(
      wire,
      bodies.map((body, id) => JSON.stringify({ jsonrpc: '2.0', id, ...body })),
    );
    const codes = replies.map(({ error }) => error?.code);
    for (const code of codes) expect([-32600, -32602]).toContain(code);
  });

  test('that are notifications or answers are not answered', async () => {
    verifies('JOBS-REQ-001.7.1');
    const wire = await openSpeakingWireInProcess(newProject().root);
    wire.send(
      { jsonrpc: '2.0', method: 'no/such' },
      { jsonrpc: '2.0', method: 'tools/call', params: { name: 'get_workflows' } },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 77 } },
      { jsonrpc: '2.0', id: 78, result: {} },
      { jsonrpc: '2.0', id: 79, error: { code: 1, message: 'no' } },
    );
    wire.write('\n  \n\r\n');
    await nothingElse(wire);
  });

  test('may come in pieces, with Windows line ends, and with any string or number as id', async () => {
    verifies('JOBS-REQ-001.7.1');
    const wire = await openSpeakingWireInProcess(newProject().root);
    const bytes = Buffer.from(`${JSON.stringify(request('ключ €', 'ping'))}\r\n`);
    for (const [index] of bytes.entries()) {
      wire.write(bytes.subarray(index, index + 1));
      // Every multi-byte character is split.
      if (index % 8 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(await wire.next(1)).toMatchObject([{ id: 'ключ €', result: {} }]);
    for (const id of ['', 0, -1, Number.MAX_SAFE_INTEGER]) {
      expect(await replyTo(wire, JSON.stringify(request(id, 'ping')))).toMatchObject({ id });
    }
  });
});

describe('a client that does not wait', () => {
  /** An opening and two requests; ids tell them apart. */
  const openings = {
    handshake: [
      initialize(0),
      INITIALIZED,
      request(1, LIST),
      request(2, 'tools/call', { name: 'get_workflows', arguments: {} }),
    ],
    stateless: [
      discover(0),
      request(1, LIST, discover(0).params),
      request(2, 'tools/call', { name: 'get_workflows', ...(discover(0).params as object) }),
    ],
  };

  test.each(Object.entries(openings))('is answered in full, once each (%s)', async (_era, sent) => {
    verifies('JOBS-REQ-001.7.1', 'JOBS-REQ-001.1.10');
    const project = newProject();
    writeJob(project, 'demo', { a: {} }, { main: ['a'] });
    const wire = openWire(project.root);
    wire.send(...sent);
    const replies = await wire.next(3);
    expect(replies.map(({ id }) => id).sort()).toEqual([0, 1, 2]);
    for (const reply of replies) expect(reply).toHaveProperty('result');
    const byId = (wanted: number) => replies.find(({ id }) => id === wanted)?.result;
    expect(byId(1).tools).toContainEqual(expect.objectContaining({ name: 'get_workflows' }));
    expect(byId(2).structuredContent.jobs[0].name).toBe('demo');
    wire.endInput();
    expect(await wire.ended).toMatchObject({ code: 0 });
    expect(wire.lines(), 'no id is answered twice').toHaveLength(3);
    expectOnlyJsonRpc(wire);
  });

  test.each(Object.entries(openings))(
    'is answered although it closes its side (%s)',
    async (_era, sent) => {
      verifies('JOBS-REQ-001.7.1');
      const wire = openWire(newProject().root);
      wire.send(...sent);
      wire.endInput();
      expect(await wire.ended).toMatchObject({ code: 0 });
      const ids = wire.lines().map((line) => JSON.parse(line).id);
      expect(ids.sort(), wire.log()).toEqual([0, 1, 2]);
    },
  );

  test('gets each of many answers', async () => {
    verifies('JOBS-REQ-001.7.1');
    const wire = await openSpeakingWireInProcess(newProject().root);
    // The first call loads the jobs; the following many are what is tested.
    const call = { name: 'get_workflows' };
    await replyTo(wire, JSON.stringify(request('first', 'tools/call', call)));
    const ids = Array.from({ length: 300 }, (_, index) => index);
    wire.send(...ids.map((id) => request(id, 'tools/call', call)));
    const replies = await wire.next(ids.length);
    expect(replies.map(({ id }) => Number(id)).sort((a, b) => a - b)).toEqual(ids);
    expect(replies.every(({ result }) => Array.isArray(result.structuredContent.jobs))).toBe(true);
  });
});

describe('the process', () => {
  test('ends with code 0 when its input ends', async () => {
    verifies('JOBS-REQ-001.7.1');
    const wire = await openSpeakingWire(newProject().root);
    wire.endInput();
    expect(await wire.ended).toEqual({ code: 0, signal: null });
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('ends on %s', async (signal) => {
    verifies('JOBS-REQ-001.7.1');
    const wire = await openSpeakingWire(newProject().root);
    await nothingElse(wire);
    wire.kill(signal);
    expect(await wire.ended).toEqual({ code: 0, signal: null });
    expectOnlyJsonRpc(wire);
    expect(wire.log()).toBe('');
  });
});
