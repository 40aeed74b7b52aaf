// Requests with an invalid envelope: each is answered with its own id and in plain words, the same
// over stdio and HTTP.

import { describe, expect, test } from 'vitest';
import { INITIALIZE, post } from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { newProject } from '../support/project.ts';
import {
  type Lines,
  openSpeakingWire,
  openSpeakingWireInProcess,
  openWireInProcess,
  type Reply,
} from '../support/wire.ts';
import { verifies } from '../verifies.ts';

type Ask = (message: object) => Promise<Reply>;

function overWire(wire: Lines): Ask {
  return async (message) => {
    wire.send(message);
    const [reply] = await wire.next(1);
    return reply as Reply;
  };
}

async function overHttp(): Promise<{ ask: Ask; log(): string }> {
  const { url, log } = await serveHttpInProcess(newProject().root);
  const hello = await post(`${url}/mcp`, INITIALIZE);
  const session = { 'mcp-session-id': hello.headers.get('mcp-session-id') ?? '' };
  return { log, ask: async (message) => (await post(`${url}/mcp`, message, session)).body };
}

const WAYS: readonly (readonly [name: string, open: () => Promise<Ask>])[] = [
  ['stdio, at the opening', async () => overWire(await openWireInProcess(newProject().root))],
  [
    'stdio, after the handshake',
    async () => overWire(await openSpeakingWireInProcess(newProject().root)),
  ],
  ['HTTP', async () => (await overHttp()).ask],
];

const OPENING = INITIALIZE.params;

const BAD_PARAMS: readonly (readonly [method: string, params: unknown, message: string])[] = [
  ['initialize', undefined, 'params is required'],
  ['initialize', null, 'params is required'],
  ['initialize', {}, 'protocolVersion is required'],
  ['initialize', { ...OPENING, protocolVersion: 5 }, 'protocolVersion must be a string'],
  ['initialize', { ...OPENING, protocolVersion: null }, 'protocolVersion is required'],
  ['initialize', { ...OPENING, capabilities: 7 }, 'capabilities must be an object'],
  ['initialize', { ...OPENING, clientInfo: {} }, 'clientInfo.name is required'],
  ['initialize', { ...OPENING, clientInfo: 'me' }, 'clientInfo must be an object'],
  ['initialize', [], 'params must be an object'],
  ['tools/list', { cursor: 5 }, 'cursor must be a string'],
  ['tools/list', 'all', 'params must be an object'],
  ['tools/list', { _meta: 1 }, '_meta must be an object'],
  ['tools/call', undefined, 'params is required'],
  ['tools/call', null, 'params is required'],
  ['tools/call', {}, 'name is required'],
  ['tools/call', { name: 7 }, 'name must be a string'],
  ['tools/call', { name: 'get_workflows', arguments: 7 }, 'arguments must be an object'],
  ['tools/call', { name: 'get_workflows', arguments: [] }, 'arguments must be an object'],
];

describe.each(WAYS)('%s', (_name, open) => {
  test('invalid parameters of the protocol are named in plain words, never as an internal error', async () => {
    verifies('GUIDE-4');
    const ask = await open();
    for (const [method, params, problem] of BAD_PARAMS) {
      const reply = await ask({ jsonrpc: '2.0', id: `${method}`, method, params });
      const [field, ...reason] = problem.split(' ');
      expect(reply, `${method} ${JSON.stringify(params)}`).toEqual({
        jsonrpc: '2.0',
        id: method,
        error: {
          code: -32602,
          message: `Invalid params: ${problem}`,
          data: { field, reason: reason.join(' ') },
        },
      });
    }
  });

  test('null parameters count as absent', async () => {
    verifies('GUIDE-2', 'GUIDE-4');
    const ask = await open();
    const asked = (method: string, params: unknown) =>
      ask({ jsonrpc: '2.0', id: 1, method, params });
    expect(await asked('ping', null)).toMatchObject({ result: {} });
    expect((await asked('tools/list', null)).result.tools).not.toEqual([]);
    expect((await asked('tools/list', { cursor: null, _meta: null })).result.tools).not.toEqual([]);
    const call = { name: 'get_workflows', arguments: null };
    expect((await asked('tools/call', call)).result.structuredContent).toMatchObject({ stack: [] });
    expect((await asked('workflow_list', null)).result.workflows).not.toEqual([]);
    expect((await asked('prompts/list', null)).result.prompts).not.toEqual([]);
    expect(await asked('resources/list', null)).toMatchObject({ error: { code: -32601 } });
  });

  test('an invalid request gets its own id back if that is a string or a number', async () => {
    verifies('GUIDE-4');
    const ask = await open();
    const long = 'x'.repeat(2000);
    for (const [message, id] of [
      [{ jsonrpc: '1.0', id: 'a', method: 'ping' }, 'a'],
      [{ id: 0, method: 'ping' }, 0],
      [{ jsonrpc: '2.0', id: 'c' }, 'c'],
      [{ jsonrpc: '2.0', id: 4, method: 7 }, 4],
      [{ jsonrpc: '2.0', id: 'e', method: null }, 'e'],
      [{ jsonrpc: '2.0', id: 1.5, method: 'ping' }, 1.5],
      [{ jsonrpc: '2.0', id: long, method: 'ping' }, long],
      [{ jsonrpc: '2.0', id: null, method: 'ping' }, null],
      [{ jsonrpc: '2.0', id: {}, method: 'ping' }, null],
      [{ jsonrpc: '2.0', id: true }, null],
      // What looks like a response is no request: its id is one that we sent.
      [{ id: 'f', result: {} }, null],
      [[{ jsonrpc: '2.0', id: 'g', method: 'ping' }], null],
    ] as const) {
      const reply = await ask(message);
      expect(reply, JSON.stringify(message)).toMatchObject({ id, error: { code: -32600 } });
    }
    // The connection still works.
    expect(await ask({ jsonrpc: '2.0', id: 'h', method: 'ping' })).toMatchObject({ result: {} });
  });
});

describe('The log has a line for', () => {
  test('a tool and a direct method that do not exist, and one that is refused', async () => {
    verifies('JOBS-REQ-001.1.12');
    const stdio = await openSpeakingWire(newProject().root);
    const { ask, log } = await overHttp();
    for (const [way, seen] of [
      [overWire(stdio), stdio.log],
      [ask, log],
    ] as const) {
      const call = (name: string) =>
        way({ jsonrpc: '2.0', id: name, method: 'tools/call', params: { name, arguments: {} } });
      await call('no_such\ntool');
      await call('finished_step');
      await way({ jsonrpc: '2.0', id: 1, method: 'workflow_nothing' });
      await way({ jsonrpc: '2.0', id: 2, method: 'workflow_get', params: { id: 'ghost' } });
      await expect
        .poll(seen)
        .toMatch(/deepwork "no_such\\ntool" -32602 .*\n(.*\n)*.*deepwork finished_step invalid/);
      await expect.poll(seen).toMatch(/deepwork workflow_nothing -32601 /);
      await expect.poll(seen).toMatch(/deepwork workflow_get -32001 .*stack=\[\]/);
    }
  });

  test('a direct call with the stack of its caller', async () => {
    verifies('JOBS-REQ-001.1.12');
    const wire = await openSpeakingWire(newProject().root);
    const ask = overWire(wire);
    const start = { goal: 'x', job_name: 'auth-implementation', workflow_name: 'any' };
    const params = { name: 'start_workflow', arguments: start };
    await ask({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    await ask({ jsonrpc: '2.0', id: 2, method: 'workflow_list' });
    await expect
      .poll(() => wire.log())
      .toMatch(/deepwork workflow_list ok .*stack=\[auth-implementation\//);
  });
});
