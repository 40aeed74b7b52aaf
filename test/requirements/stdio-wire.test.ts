// The stdio wire, byte by byte: however a client opens it and whatever comes in, each request is
// answered exactly once, only JSON-RPC is written, and the server neither dies nor outlives its
// client.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BINARY } from '../support/connect.ts';
import { cleanEnv, newHome } from '../support/http.ts';
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
  for (const line of wire.lines()) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
}

/** Sends one line and returns the one reply to it; the wire must work afterwards. */
async function replyTo(wire: Lines, line: string | Uint8Array): Promise<Reply> {
  wire.write(line);
  wire.write('\n');
  const [reply] = await wire.next(1);
  await nothingElse(wire);
  return reply as Reply;
}

const VERSIONS = SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version < '2026');

describe('a connection', () => {
  test('opens with initialize in every version of the handshake era, or with server/discover', async () => {
    verifies('JOBS-REQ-001.1.10', 'JOBS-REQ-001.1.11');
    const firstReply = async (opening: unknown) =>
      replyTo(await openWireInProcess(newProject().root), JSON.stringify(opening));
    expect(VERSIONS).toContain('2024-11-05');
    const serverInfo = { name: 'deepwork' };
    for (const protocolVersion of VERSIONS) {
      const reply = await firstReply(initialize(7, protocolVersion));
      expect(reply).toMatchObject({ id: 7, result: { protocolVersion, serverInfo } });
    }
    const unknown = await firstReply(initialize('a', '1999-12-31'));
    expect(unknown).toMatchObject({ id: 'a', result: { serverInfo } });
    expect(VERSIONS).toContain(unknown.result.protocolVersion);
    const known = await firstReply(discover('b'));
    expect(known).toMatchObject({ id: 'b', result: { supportedVersions: ['2026-07-28'] } });
    const refused = await firstReply(discover('c', '2999-12-31'));
    expect(refused).toMatchObject({ id: 'c', error: { code: expect.any(Number) } });
  });

  const tool = { name: 'get_workflows', arguments: {} };
  const meta = discover(0).params as object;

  test.each([
    [
      'handshake',
      {},
      [initialize(0), INITIALIZED, request(1, LIST), request(2, 'tools/call', tool)],
    ],
    [
      'stateless',
      { resultType: 'complete' },
      [discover(0), request(1, LIST, meta), request(2, 'tools/call', { ...tool, ...meta })],
    ],
  ])(
    'of a client that waits for nothing and closes its side is answered in full: %s',
    async (_era, marks, sent) => {
      verifies('JOBS-REQ-001.7.1', 'JOBS-REQ-001.1.10');
      const project = newProject();
      writeJob(project, 'demo', { a: {} }, { main: ['a'] });
      const wire = openWire(project.root);
      wire.send(...sent);
      wire.endInput();
      expect(await wire.ended).toEqual({ code: 0, signal: null });
      const replies: Reply[] = wire.lines().map((line) => JSON.parse(line));
      expect(replies.map(({ id }) => id).sort(), 'each once').toEqual([0, 1, 2]);
      const byId = (wanted: number) => replies.find(({ id }) => id === wanted)?.result;
      const named = expect.objectContaining({ name: 'get_workflows' });
      expect(byId(1)).toMatchObject({ ...marks, tools: expect.arrayContaining([named]) });
      const structuredContent = { jobs: [{ name: 'demo' }, {}] };
      expect(byId(2)).toMatchObject({ ...marks, structuredContent });
    },
  );

  test('of a client that reuses an id, or sends many calls at once, gets each answer', async () => {
    verifies('JOBS-REQ-001.7.1', 'JOBS-REQ-001.1.10');
    const wire = openWire(newProject().root);
    wire.send(initialize('same'));
    expect(await wire.next(1)).toMatchObject([{ id: 'same' }]);
    wire.send(INITIALIZED, request('same', LIST));
    expect((await wire.next(1))[0]?.result.tools.length).toBeGreaterThan(0);
    const ids = Array.from({ length: 300 }, (_, index) => index);
    wire.send(...ids.map((id) => request(id, 'tools/call', tool)));
    const replies = await wire.next(ids.length);
    expect(replies.map(({ id }) => Number(id)).sort((a, b) => a - b)).toEqual(ids);
    for (const { result } of replies) expect(result.structuredContent.jobs).not.toEqual([]);
    await nothingElse(wire);
  });
});

describe('lines', () => {
  test.each([
    [-32700, ['{', 'hello', '{"jsonrpc":"2.0","id":1', '\u0000', '['.repeat(200_000)]],
    [-32700, [Buffer.from([0xff, 0xfe, 0x80])]],
    [-32600, ['[]', '1', 'null', 'true', '"text"', '{}', `[${JSON.stringify(request(1, LIST))}]`]],
    [
      -32600,
      ['null', 'true', '{}', '[1]', '1e400'].map(
        (id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`,
      ),
    ],
    [-32600, [JSON.stringify(request(1, LIST, { x: 'x'.repeat(11 * 1024 * 1024) }))]],
  ])(
    'that are no request are answered without an id: %i',
    async (code, lines: (string | Buffer)[]) => {
      verifies('JOBS-REQ-001.7.1');
      const wire = await openSpeakingWireInProcess(newProject().root);
      for (const line of lines) {
        expect(await replyTo(wire, line)).toMatchObject({ id: null, error: { code } });
      }
    },
  );

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

  test('may come in pieces, with Windows line ends, up to 10 MiB, with any string or number as id', async () => {
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
    const large = JSON.stringify(request(2, 'no/such', { x: 'x'.repeat(9 * 1024 * 1024) }));
    expect(await replyTo(wire, large)).toMatchObject({ id: 2, error: { code: -32601 } });
  });

  test('for an unknown tool or method are refused by name, in a message of limited size', async () => {
    verifies('JOBS-REQ-001.7.1');
    const wire = await openSpeakingWireInProcess(newProject().root);
    const ask = async (method: string, params?: unknown) =>
      (await replyTo(wire, JSON.stringify(request(1, method, params)))).error;
    for (const name of ['x', '__proto__', 'x'.repeat(1_000_000)]) {
      const { code, message } = await ask('tools/call', { name, arguments: {} });
      expect(code).toBe(-32602);
      expect(message).toContain(name.slice(0, 100));
      expect(message.length).toBeLessThan(4096);
    }
    for (const method of ['no/such', 'resources/list', 'server/discover', 'toString']) {
      expect(await ask(method)).toMatchObject({ code: -32601, data: { method } });
    }
    // Guides are also asked directly; what does not exist is logged, too.
    for (const method of ['workflow_nothing', 'workflow_list']) await ask(method);
    await expect.poll(wire.log).toMatch(/ deepwork workflow_nothing -32601 /);
    await expect.poll(wire.log).toMatch(/ workflow_list ok .*stack=\[\]/);
    const cut = { method: `a/${'x'.repeat(198)}` };
    expect(await ask(`a/${'x'.repeat(10_000)}`)).toMatchObject({ code: -32601, data: cut });
  });
});

describe('the process', () => {
  const OVER = { code: 0, signal: null };

  test('ends with code 0 when its input ends, whatever was sent before', async () => {
    verifies('JOBS-REQ-001.7.1');
    const wires = [openWire(newProject().root), openWire(newProject().root)];
    wires[1]?.send(initialize(1));
    wires.push(await openSpeakingWire(newProject().root));
    for (const wire of wires) {
      wire.endInput();
      expect(await wire.ended).toEqual(OVER);
      expect(wire.log()).toBe('');
    }
    expect(wires.map((wire) => wire.lines().length)).toEqual([0, 1, 1]);
  });

  test('ends with code 0 on a signal; SIGHUP does not end one that was started with nohup', async () => {
    verifies('JOBS-REQ-001.7.1');
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      const wire = await openSpeakingWire(newProject().root);
      await nothingElse(wire);
      wire.kill(signal);
      expect(await wire.ended).toEqual(OVER);
      expect(wire.log()).toBe('');
    }
    const wire = openWire(newProject().root, BINARY, { _: '/usr/bin/nohup' });
    wire.send(initialize(1));
    await wire.next(1);
    wire.kill('SIGHUP');
    await nothingElse(wire);
    wire.kill('SIGTERM');
    expect(await wire.ended).toEqual(OVER);
  });

  test.each(['stdio', 'http', 'sse'])(
    'ends with code 0 on every signal while it starts: %s',
    async (transport) => {
      const port = transport === 'stdio' ? [] : ['--port', '0'];
      const preload = fileURLToPath(new URL('../support/signal-at-start.cjs', import.meta.url));
      const endOf = async (SIGNAL: string, SIGNAL_AT: string) => {
        const args = ['serve', '--path', newProject().root, '--transport', transport, ...port];
        const own = { NODE_OPTIONS: `--require ${preload}`, SIGNAL_AT, SIGNAL };
        const child = spawn(process.execPath, [BINARY, ...args], {
          env: { ...cleanEnv(newHome()), ...own },
          stdio: ['pipe', 'ignore', 'pipe'],
        });
        onTestFinished(() => void child.kill('SIGKILL'));
        const [[code, signal], said] = await Promise.all([
          once(child, 'close'),
          text(child.stderr),
        ]);
        return { code, signal, said };
      };
      const ends = ['SIGTERM', 'SIGINT', 'SIGHUP'].flatMap((signal) =>
        ['turn', 'engine'].map((moment) => endOf(signal, moment)),
      );
      for (const end of await Promise.all(ends)) expect(end).toEqual({ ...OVER, said: '' });
    },
  );
});
