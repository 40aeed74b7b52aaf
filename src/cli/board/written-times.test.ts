import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { millisecondsIn, momentOf } from './written-times.ts';

const NOW = new Date(2026, 10, 17, 9, 30);
const here = (day: number, hour = 0, minute = 0) =>
  new Date(2026, 10, day, hour, minute).toISOString();

test.each([
  ['today', here(17)],
  ['yesterday', here(16)],
  ['90m', here(17, 8)],
  ['3h', here(17, 6, 30)],
  ['2d', new Date(NOW.getTime() - 48 * 3_600_000).toISOString()],
  ['1w', new Date(NOW.getTime() - 7 * 24 * 3_600_000).toISOString()],
  ['2026-11-16', here(16)],
  ['2026-11-16T08:30', here(16, 8, 30)],
  ['2026-11-16 08:30', here(16, 8, 30)],
  ['2026-11-16T08:30:00Z', '2026-11-16T08:30:00.000Z'],
  ['2026-11-16T08:30:00+02:00', '2026-11-16T06:30:00.000Z'],
])('%s is a moment in local time', (given, moment) => {
  verifies('BOARD-2');
  expect(momentOf('--since', given, NOW)).toBe(moment);
});

test.each([
  ...['', 'soon', '3', 'h3', '3y', '-3h', '16.11.2026', '2026-13-01', '2026-02-30', '2026-11'],
  ...['2026-11-16T25:00', '2026-11-16Tnoon', '2026-11-16T08:30 and more'],
])("'%s' is not a moment, and the error says what to write", (given) => {
  verifies('BOARD-2');
  expect(() => momentOf('--since', given, NOW)).toThrow(/^--since .*: use today, yesterday/);
});

test('an age is a number and a unit', () => {
  verifies('BOARD-2');
  expect(['1m', '2h', '3d', '1w', '1.5h', 'd'].map(millisecondsIn)).toEqual([
    ...[60_000, 7_200_000, 259_200_000, 604_800_000, null, null],
  ]);
});
