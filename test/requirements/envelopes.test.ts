// Requests with an invalid envelope: each is answered with its own id and names the field, the same
// over stdio and HTTP.

import { describe, expect, test } from 'vitest';
import { INITIALIZE, post } from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { newProject } from '../support/project.ts';
import {
  type Lines,
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

async function overHttp(): Promise<Ask> {
  const { url } = await serveHttpInProcess(newProject().root);
  const hello = await post(`${url}/mcp`, INITIALIZE);
  const session = { 'mcp-session-id': hello.headers.get('mcp-session-id') ?? '' };
  return async (message) => (await post(`${url}/mcp`, message, session)).body;
}

const WAYS: readonly (readonly [name: string, open: () => Promise<Ask>])[] = [
  ['stdio, at the opening', async () => overWire(await openWireInProcess(newProject().root))],
  [
    'stdio, after the handshake',
    async () => overWire(await openSpeakingWireInProcess(newProject().root)),
  ],
  ['HTTP', overHttp],
];

const OPENING = INITIALIZE.params;

const BAD_PARAMS: readonly (readonly [method: string, field: string, ...params: unknown[]])[] = [
  ['initialize', 'params', undefined, null, []],
  ['initialize', 'protocolVersion', {}],
  ['initialize', 'protocolVersion', { ...OPENING, protocolVersion: 5 }],
  ['initialize', 'protocolVersion', { ...OPENING, protocolVersion: null }],
  ['initialize', 'capabilities', { ...OPENING, capabilities: 7 }],
  ['initialize', 'clientInfo.name', { ...OPENING, clientInfo: {} }],
  ['initialize', 'clientInfo', { ...OPENING, clientInfo: 'me' }],
  ['tools/list', 'cursor', { cursor: 5 }],
  ['tools/list', 'params', 'all'],
  ['tools/list', '_meta', { _meta: 1 }],
  ['tools/list', 'progressToken', { _meta: { progressToken: {} } }],
  ['tools/call', 'params', undefined, null, [1], 'text'],
  ['tools/call', 'name', {}, { name: 7 }],
  ['tools/call', 'arguments', { name: 'get_workflows', arguments: 7 }],
  ['tools/call', 'arguments', { name: 'get_workflows', arguments: [] }],
];

describe.each(WAYS)('%s', (_name, open) => {
  test('invalid parameters of the protocol are named, never as an internal error', async () => {
    verifies('GUIDE-4');
    const ask = await open();
    for (const [method, field, ...bad] of BAD_PARAMS) {
      for (const params of bad) {
        const reply = await ask({ jsonrpc: '2.0', id: method, method, params });
        expect(reply, JSON.stringify(params)).toMatchObject({
          id: method,
          error: { code: -32602, data: { field, reason: expect.any(String) } },
        });
        expect(reply.error.message).toContain(`${field} ${reply.error.data.reason}`);
      }
    }
  });

  test('null parameters count as absent', async () => {
    verifies('GUIDE-2', 'GUIDE-4');
    const ask = await open();
    const asked = (method: string, params: unknown) =>
      ask({ jsonrpc: '2.0', id: 1, method, params });
    expect(await asked('ping', null)).toMatchObject({ result: {} });
    for (const params of [null, { cursor: null, _meta: null }]) {
      expect((await asked('tools/list', params)).result.tools).not.toEqual([]);
    }
    const call = { name: 'get_workflows', arguments: null };
    expect((await asked('tools/call', call)).result.structuredContent).toMatchObject({ stack: [] });
    expect((await asked('workflow_list', null)).result.workflows).not.toEqual([]);
    expect((await asked('prompts/list', null)).result.prompts).not.toEqual([]);
    expect(await asked('resources/list', null)).toMatchObject({ error: { code: -32601 } });
  });

  test('an invalid request gets its own id back if that is a string or a number', async () => {
    verifies('GUIDE-4');
    const ask = await open();
    for (const [message, id] of [
      [{ jsonrpc: '1.0', id: 'a', method: 'ping' }, 'a'],
      [{ id: 0, method: 'ping' }, 0],
      [{ jsonrpc: '2.0', id: 'c' }, 'c'],
      [{ jsonrpc: '2.0', id: 4, method: 7 }, 4],
      [{ jsonrpc: '2.0', id: 1.5, method: 'ping' }, 1.5],
      [{ jsonrpc: '2.0', id: 'x'.repeat(2000), method: 'ping' }, 'x'.repeat(2000)],
      [{ jsonrpc: '2.0', id: null, method: 'ping' }, null],
      [{ jsonrpc: '2.0', id: {}, method: 'ping' }, null],
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
