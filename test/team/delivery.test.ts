// A message counts as read only when the answer that contains it was written.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { BINARY } from '../support/connect.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { inboxOf, inThisProcess, LOG, newTeam, readState } from './support.ts';

/** A server whose client is driven by hand and can disconnect at any time. */
async function bareClient(root: string, identity: string) {
  const child = spawn(process.execPath, [BINARY, 'serve', '--path', root, '--agent', identity], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.on('error', () => {});
  const lines = createInterface({ input: child.stdout });
  const send = (message: object) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bare', version: '1' },
  };
  send({ id: 1, method: 'initialize', params });
  await once(lines, 'line');
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'ping' });
  await once(lines, 'line');
  return { child, lines, send };
}

const CHECK = { id: 3, method: 'tools/call', params: { name: 'check_inbox', arguments: {} } };

test('if a client is gone before its answer, the next check gets the messages', async () => {
  verifies('TEAM-23');
  const project = newTeam({ a: [] });
  const boss = await inThisProcess(project.root, 'coordinator');
  await boss.says('send_message', { toAgent: 'a', body: 'one' });
  await boss.says('send_message', { toAgent: 'a', body: 'two' });
  const { child, send } = await bareClient(project.root, 'a');
  child.stdout.destroy();
  send(CHECK);
  await once(child, 'exit');
  expect(readFileSync(project.path(LOG), 'utf8')).toContain('"type":"offered"');
  expect(await boss.says('check_outbox')).toContain('Pending messages (2):');

  await boss.says('send_message', { toAgent: 'a', body: 'three' });
  const a = await inThisProcess(project.root, 'a');
  const read = inboxOf(await a.says('check_inbox'));
  expect(read.map(({ id, redelivered }) => [id, redelivered])).toEqual([
    [1, true],
    [2, true],
    [3, false],
  ]);
  await until(() => readState(project).messages.every(({ read }: { read: boolean }) => read));
  expect(readState(project).messages[0]).toMatchObject({ id: 1, redelivered: true });
  expect(await a.says('check_inbox')).toBe('You have no messages.');
});

test('a server that is killed between its answer and the cursor repeats it, marked', async () => {
  verifies('TEAM-23');
  const project = newTeam({ a: [] });
  const boss = await inThisProcess(project.root, 'coordinator');
  await boss.says('send_message', { toAgent: 'a', body: 'one' });
  const { child, lines, send } = await bareClient(project.root, 'a');
  lines.on('line', () => void child.kill('SIGKILL'));
  send(CHECK);
  await once(child, 'exit');
  // Whether the cursor moved before the kill is chance; nothing is lost either way.
  const log = readFileSync(project.path(LOG), 'utf8');
  const a = await inThisProcess(project.root, 'a');
  const read = inboxOf(await a.says('check_inbox'));
  const expected = log.includes('"type":"received"') ? [] : [{ id: 1, redelivered: true }];
  expect(read).toMatchObject(expected);
});

test('a client that stops listening but lives still gets its answer', async () => {
  verifies('TEAM-23');
  const project = newTeam({ a: [] });
  const boss = await inThisProcess(project.root, 'coordinator');
  await boss.says('send_message', { toAgent: 'a', body: 'one' });
  const { child, lines, send } = await bareClient(project.root, 'a');
  const answer = once(lines, 'line');
  send(CHECK);
  child.stdin.end();
  const [line] = await answer;
  expect(inboxOf(JSON.parse(line).result.content[0].text)).toMatchObject([{ id: 1 }]);
  await once(child, 'exit');
  // The server kept running until the cursor had moved.
  expect(readFileSync(project.path(LOG), 'utf8')).toContain('"type":"received"');
});
