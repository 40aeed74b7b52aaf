import { expect, test } from 'vitest';
import type { TeamMessage } from '../server/answers.ts';
import { conversationsOf, hasGap, mergeMessages } from './merge-messages.ts';

function message(id: number, more: Partial<TeamMessage> = {}): TeamMessage {
  return {
    id,
    from: 'a',
    to: 'b',
    at: '2026-01-01T00:00:00Z',
    text: `${id}`,
    read: false,
    ...more,
  };
}
const page = (...ids: number[]) => ids.map((id) => message(id));
const ids = (messages: readonly TeamMessage[]) => messages.map(({ id }) => id);

test('pages are merged without repeats, newest first, and a message that was read meanwhile is updated', () => {
  const loaded = mergeMessages(page(5, 4, 3), page(2, 1));
  expect(ids(loaded)).toEqual([5, 4, 3, 2, 1]);
  const after = mergeMessages(loaded, [message(7), message(6), message(5, { read: true })]);
  expect(ids(after)).toEqual([7, 6, 5, 4, 3, 2, 1]);
  expect(after[2]?.read).toBe(true);
  expect(mergeMessages(after, page(3))).toBe(after);
});

test('a gap between the loaded messages and the newest page is noticed', () => {
  expect(hasGap(page(5, 4), page(9, 8, 7))).toBe(true);
  expect(hasGap(page(5, 4), page(8, 7, 6))).toBe(false);
  expect(hasGap([], page(9))).toBe(false);
});

test('a conversation has both directions', () => {
  const messages = [message(1), message(2, { from: 'b', to: 'a' }), message(3, { to: 'c' })];
  expect(conversationsOf(messages)).toEqual([
    { between: ['a', 'b'], count: 2 },
    { between: ['a', 'c'], count: 1 },
  ]);
});
