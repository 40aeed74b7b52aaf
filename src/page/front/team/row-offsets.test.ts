import { expect, test } from 'vitest';
import { offsetsOf, rowAt } from './row-offsets.ts';

test('each offset belongs to the row that covers it', () => {
  const offsets = offsetsOf([10, 20, 5], (height) => height);
  expect([...offsets]).toEqual([0, 10, 30, 35]);
  expect([-5, 0, 9, 10, 29, 30, 34, 99].map((place) => rowAt(offsets, place))).toEqual([
    0, 0, 0, 1, 1, 2, 2, 2,
  ]);
  expect(
    rowAt(
      offsetsOf([], () => 1),
      3,
    ),
  ).toBe(0);
});
