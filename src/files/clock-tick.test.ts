import { expect, test } from 'vitest';
import { isSettled } from './clock-tick.ts';

test.each([
  ['long ago', 5001, 9000, true],
  ['a moment ago', 5001, 5015, false],
  ['more than a tick ago', 5001, 5030, true],
  ['at a full second, by a clock that may count in seconds', 5000, 5030, false],
  ['at a full second, longer ago than any clock counts', 5000, 7600, true],
  ['in the future', 9001, 5000, false],
])('a file that was changed %s', (_when, changedAt, readAt, settled) => {
  expect(isSettled(changedAt, readAt)).toBe(settled);
});
