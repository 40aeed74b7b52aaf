// The outcome of an answer that could not be written.

import { PassThrough, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { newProject } from '../../test/support/project.ts';
import { openWorkspace } from '../engine/workspace.ts';
import { stdioCaller } from './caller-identity.ts';
import { serveOverStdio } from './stdio.ts';
import { openStdioConnection } from './stdio-connection.ts';

test('a message whose answer could not be written is not read', async () => {
  const { root } = newProject();
  const workspace = openWorkspace({ projectRoot: root });
  const identity = stdioCaller({}, 'coordinator');
  const { mail } = workspace.team;
  const writer = { name: 'writer', model: null, variant: null };
  await mail.send(writer, { to: 'coordinator', body: 'read me' }, () => {});

  const input = new PassThrough();
  const output = new Writable({
    write(chunk, _encoding, written) {
      const isAnswer = String(chunk).includes('read me');
      if (isAnswer) input.end();
      written(isAnswer ? new Error('EPIPE') : null);
    },
  });
  const served = serveOverStdio(workspace, openStdioConnection(input, output), {
    identity,
    toolsets: ['team'],
  });
  const messages = [
    {
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      },
    },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name: 'check_inbox', arguments: {} } },
  ];
  for (const message of messages)
    input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  await served;
  const { messages: again } = await mail.check(identity.caller, AbortSignal.timeout(60_000));
  expect(again).toMatchObject([{ message: { body: 'read me' }, redelivered: true }]);
});
