// A message counts as read only when the answer that contains it was written.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { INITIALIZED, initialize, openWire, request } from '../support/wire.ts';
import { verifies } from '../verifies.ts';
import { inboxOf, inThisProcess, LOG, newTeam, readState } from './support.ts';

const CHECK = request(2, 'tools/call', { name: 'check_inbox', arguments: {} });

/** A coordinator that has sent this, and the server of agent a, driven by hand. */
async function sent(...bodies: string[]) {
  const project = newTeam({ a: [] });
  const boss = await inThisProcess(project.root, 'coordinator');
  for (const body of bodies) await boss.says('send_message', { toAgent: 'a', body });
  const wire = openWire(project.root, undefined, { SGAI_AGENT_IDENTITY: 'a' });
  wire.send(initialize(1), INITIALIZED);
  await wire.next(1);
  return { project, boss, wire, log: () => readFileSync(project.path(LOG), 'utf8') };
}

test('if a client is gone before its answer, the next check gets the messages', async () => {
  verifies('TEAM-23');
  const { project, boss, wire, log } = await sent('one', 'two');
  wire.stopReading();
  wire.send(CHECK);
  await wire.ended;
  expect(log()).toContain('"type":"offered"');
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

test('a client that stops sending but lives still gets its answer', async () => {
  verifies('TEAM-23');
  const { wire, log } = await sent('one');
  wire.send(CHECK);
  wire.endInput();
  const [reply] = await wire.next(1);
  expect(inboxOf(reply?.result.content[0].text)).toMatchObject([{ id: 1 }]);
  await wire.ended;
  // The server kept running until the cursor had moved.
  expect(log()).toContain('"type":"received"');
});
