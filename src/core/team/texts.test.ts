import { expect, test } from 'vitest';
import { foldTeam } from '../../../test/support/fold-team.ts';
import { decideOffer } from './messages.ts';
import type { Message } from './state.ts';
import { busText, outboxText } from './texts.ts';

const MANY = 20_000;
const at = '2026-01-01T00:00:00.000Z';
const message = (id: number): Message => ({
  id,
  from: 'a',
  to: 'b',
  body: 'x'.repeat(1000),
  createdAt: at,
  readers: [],
  redelivered: false,
  readBeforeAt: null,
});
const messages = Array.from({ length: MANY }, (_, index) => message(index + 1));

test('a long outbox shows the newest, and says how many there are and are not shown', () => {
  const text = outboxText(messages, () => []);
  expect(text.length).toBeLessThan(2 * 1024 * 1024);
  expect(text).toMatch(/^Pending messages \(20000\):\n {2}\(\d+ older ones are not shown\)\n/);
  expect(text.split('\n').at(-1)).toContain('  20000. To: b | Subject: x');
  expect(outboxText(messages.slice(0, 2), () => [])).not.toContain('older');
});

test('a long message bus shows the newest, and says how many are not shown', () => {
  const text = busText(messages.toReversed(), () => []);
  expect(text.length).toBeLessThan(2 * 1024 * 1024);
  expect(text).toMatch(/^Total messages: 20000\n\nMessage 1 \(ID: 20000\)/);
  expect(text).toMatch(/\n\n\(\d+ older messages are not shown\)$/);
});

test('an inbox of many short messages is delivered in parts, the oldest first', () => {
  const fold = foldTeam();
  for (let id = 1; id <= MANY; id++) {
    const data = { by: 'a', id, from: 'a', to: 'b', inbox: 'b', body: 'x' };
    fold.apply(id, { type: 'sent', at, data });
  }
  const by = { name: 'b', reader: 'b' } as Parameters<typeof decideOffer>[1]['by'];
  const offered = decideOffer(fold.team, { at, by, holder: 'h', takes: null });
  if (offered.kind !== 'commit' || offered.answer.kind !== 'offered') throw new Error('no offer');
  const ids = offered.answer.messages.map((each) => each.message.id);
  expect(ids[0]).toBe(1);
  expect(ids.length).toBeGreaterThan(1000);
  expect(ids.length).toBeLessThan(6000);
  expect(offered.event).toMatchObject({ data: { through: ids.length } });
});
