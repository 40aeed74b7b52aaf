// How a client opens a connection over stdio: with `initialize` in any version of the
// handshake era, or with `server/discover`.

import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { newProject } from '../support/project.ts';
import {
  discover,
  INITIALIZED,
  initialize,
  openWire,
  openWireInProcess,
  request,
} from '../support/wire.ts';
import { verifies } from '../verifies.ts';

async function firstReply(opening: unknown) {
  const wire = await openWireInProcess(newProject().root);
  wire.send(opening);
  const [reply] = await wire.next(1);
  // Answers to what came before would have arrived by now.
  wire.send(request('last', 'ping'));
  const [last] = await wire.next(1);
  expect(last, 'one reply to one question').toMatchObject({ id: 'last' });
  return reply;
}

const VERSIONS = SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version < '2026');

test.each(VERSIONS)('initialize %s is answered in that version', async (protocolVersion) => {
  verifies('JOBS-REQ-001.1.10', 'JOBS-REQ-001.1.11');
  expect(VERSIONS).toContain('2024-11-05');
  expect(await firstReply(initialize(7, protocolVersion))).toMatchObject({
    jsonrpc: '2.0',
    id: 7,
    result: { protocolVersion, serverInfo: { name: 'deepwork' } },
  });
});

test('initialize with an unknown version is answered with a known one', async () => {
  verifies('JOBS-REQ-001.1.10');
  const reply = await firstReply(initialize('a', '1999-12-31'));
  expect(reply).toMatchObject({ id: 'a', result: { serverInfo: { name: 'deepwork' } } });
  expect(VERSIONS).toContain(reply?.result.protocolVersion);
});

test('server/discover names its version, and refuses an unknown one', async () => {
  verifies('JOBS-REQ-001.1.10');
  const known = await firstReply(discover('b'));
  expect(known).toMatchObject({ id: 'b', result: { supportedVersions: ['2026-07-28'] } });
  expect(await firstReply(discover('c', '2999-12-31'))).toMatchObject({
    id: 'c',
    error: { code: expect.any(Number) },
  });
});

test('requests before the first reply are answered in turn, and an id may be reused', async () => {
  verifies('JOBS-REQ-001.1.10');
  const wire = openWire(newProject().root);
  wire.send(initialize('same'));
  expect(await wire.next(1)).toMatchObject([{ id: 'same' }]);
  wire.send(INITIALIZED, request('same', 'tools/list'), request(2, 'ping'));
  const replies = await wire.next(2);
  expect(replies.map(({ id }) => id).sort()).toEqual([2, 'same']);
  expect(replies.find(({ id }) => id === 'same')?.result.tools).toContainEqual(
    expect.objectContaining({ name: 'get_workflows' }),
  );
});
