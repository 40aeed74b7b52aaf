// Hand-made runs in which the journal was lost: what the loss removed may be missing, and nothing
// else.

import { expect, test } from 'vitest';
import { checkEpoch, checkNotices } from './check.ts';
import { epochsOf, type Loss } from './epochs.ts';
import { type Call, type Event, historyOf, journalOf, says, text } from './hand-made.ts';

const send = (body: string, start: number, end: number | null, id = 0): Call => ({
  agent: 'ada',
  tool: 'send_message',
  args: { toAgent: 'bob', body },
  start,
  end,
  answer: end === null ? null : text(`Message sent successfully to bob. (ID: ${id})`),
});
const notice = (start: number): Call => ({
  ...send('x', start, start + 1),
  answer: text("Error: The team's journal was deleted while the server was running.", null, true),
});
const read = (ids: readonly number[], bodies: readonly string[], start: number): Call => ({
  agent: 'bob',
  tool: 'check_inbox',
  args: {},
  start,
  end: start + 1,
  answer: text(
    [
      `You have ${ids.length} message(s):`,
      ...ids.map(
        (id, at) => `Message ${at + 1}: (ID: ${id}, now)\n  From: ada\n  Body: ${bodies[at]}`,
      ),
    ].join('\n\n'),
  ),
});
const sent = (id: number, body: string): Event => [
  'sent',
  { id, body, from: 'ada', to: 'bob', inbox: 'bob', by: 'ada' },
];
const received = (offer: number, through: number): Event[] => [
  ['offered', { reader: 'bob', through, holder: 'p', takes: null, by: 'bob' }],
  ['received', { reader: 'bob', offer }],
];

function found(calls: readonly Call[], before: Event[], after: Event[], end: Event[]): string {
  const loss: Loss = { from: 10, to: 11, before: journalOf(before), after: journalOf(after) };
  const epochs = epochsOf(historyOf(calls), [loss], journalOf(end));
  return says(epochs.flatMap(checkEpoch));
}

test('a message that was lost with the journal may be missing, and its id be reused', () => {
  const calls = [
    send('a', 0, 1, 1),
    send('b', 2, 3, 2),
    send('c', 12, 13, 2),
    read([1, 2], ['a', 'c'], 14),
  ];
  const end = [sent(1, 'a'), sent(2, 'c'), ...received(3, 2)];
  expect(found(calls, [sent(1, 'a'), sent(2, 'b')], [sent(1, 'a')], end)).toBe('');
});

test('a message that was acknowledged after the loss must exist', () => {
  const calls = [send('a', 12, 13, 1)];
  expect(found(calls, [], [], [])).toContain('is not in the journal');
});

test('a lost message must not reappear', () => {
  const calls = [send('a', 0, 1, 1), read([1], ['a'], 14)];
  const end = [sent(1, 'a'), ...received(2, 1)];
  expect(found(calls, [sent(1, 'a')], [], end)).toContain("No call sent 'a'");
});

test('a call during the loss may have happened before or after it', () => {
  const calls = [send('a', 9, 12, 1), read([1], ['a'], 14)];
  const end = [sent(1, 'a'), ...received(2, 1)];
  expect(found(calls, [sent(1, 'a')], [], end)).toBe('');
  expect(found(calls, [], [], end)).toBe('');
  expect(found(calls.slice(0, 1), [sent(1, 'a')], [], [])).toBe('');
});

test('ids continue from what the loss left', () => {
  const calls = [send('a', 0, 1, 1), send('b', 12, 13, 3), read([1, 3], ['a', 'b'], 14)];
  const end = [sent(1, 'a'), sent(3, 'b'), ...received(3, 3)];
  expect(found(calls, [sent(1, 'a')], [sent(1, 'a')], end)).toContain('Message 2 has the id 3');
});

test('each process reports a lost journal once, and only after a loss', () => {
  const loss: Loss = { from: 10, to: 11, before: journalOf([]), after: journalOf([]) };
  expect(checkNotices(historyOf([notice(12)]), [loss])).toEqual([]);
  expect(says(checkNotices(historyOf([notice(12)]), []))).toContain('which it was 0 times');
  expect(checkNotices(historyOf([notice(12), notice(14)]), [loss])).toHaveLength(1);
});
