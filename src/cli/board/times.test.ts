import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { ago, dayOf, duration, timeOfDay, withLocalTimes } from './times.ts';

test.each([
  ['2026-01-31T12:00:00.000Z', 'just now'],
  ['2026-01-31T12:00:05.000Z', 'just now'],
  ['2026-01-31T11:59:30.000Z', '30 s ago'],
  ['2026-01-31T11:01:00.000Z', '59 min ago'],
  ['2026-01-31T11:00:00.000Z', '1 h ago'],
  ['2026-01-30T12:00:00.000Z', '1 day ago'],
  ['2026-01-20T12:00:00.000Z', '11 days ago'],
  [new Date(2025, 11, 1, 23, 30).toISOString(), 'on 2025-12-01'],
  [new Date(2025, 11, 1, 0, 30).toISOString(), 'on 2025-12-01'],
  ['nonsense', 'nonsense'],
])('%s is %s at noon of January 31', (at, words) => {
  verifies('BOARD-2');
  expect(ago(at, '2026-01-31T12:00:00.000Z')).toBe(words);
});

test.each([
  ['2026-01-31T12:00:00.900Z', 'less than a second'],
  ['2026-01-31T12:00:59.000Z', '59 s'],
  ['2026-01-31T12:05:12.000Z', '5 min 12 s'],
  ['2026-01-31T14:00:30.000Z', '2 h'],
  ['2026-02-01T15:00:00.000Z', '1 day 3 h'],
  ['2026-02-02T12:00:00.000Z', '2 days'],
  ['2026-01-31T11:00:00.000Z', 'less than a second'],
])('from noon of January 31 until %s it takes %s', (to, words) => {
  verifies('BOARD-2');
  expect(duration('2026-01-31T12:00:00.000Z', to)).toBe(words);
});

test('the times in a sentence become local', () => {
  verifies('BOARD-2');
  const [from, to] = [new Date(2026, 0, 5, 9, 8), new Date(2026, 0, 6, 10, 9)];
  const text = `From ${from.toISOString()} to ${to.toISOString()}, not 2026-99-99T99:99:99Z`;
  expect(withLocalTimes(text, new Date(2026, 0, 6, 12).toISOString())).toBe(
    'From yesterday 09:08 to today 10:09, not 2026-99-99T99:99:99Z',
  );
});

test('a day and a time of day are local', () => {
  verifies('BOARD-2');
  const at = new Date(2026, 0, 5, 9, 8, 7).toISOString();
  expect([dayOf(at), timeOfDay(at)]).toEqual(['2026-01-05', '09:08:07']);
});
