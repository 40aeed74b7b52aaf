import { expect, test } from 'vitest';
import { nextSlice, sliceIsOver } from './slices.ts';

function burn(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test('timers keep running during long work that checks its slice', async () => {
  let pieces = 0;
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, pieces);
    pieces = 0;
  }, 1);
  const work = async () => {
    for (let piece = 0; piece < 60; piece++) {
      burn(1);
      pieces += 1;
      if (sliceIsOver()) await nextSlice();
    }
  };
  await Promise.all(Array.from({ length: 20 }, work));
  clearInterval(timer);
  // One slice is ten pieces, and each of the twenty starts with one piece; with a slice for
  // each of them it would be two hundred.
  expect(most).toBeLessThanOrEqual(60);
});

test('waiting callers are resumed in the order in which they came', async () => {
  const order: number[] = [];
  const wait = async (each: number) => {
    await nextSlice();
    order.push(each);
  };
  await Promise.all([1, 2, 3].map(wait));
  expect(order).toEqual([1, 2, 3]);
});

test('a later turn of the event loop gets a new slice', async () => {
  sliceIsOver();
  burn(12);
  expect(sliceIsOver()).toBe(true);
  // The turn ends in the first or, if it began in the test before, in the second one.
  for (let turns = 0; turns < 2; turns++) await new Promise((resolve) => setImmediate(resolve));
  expect(sliceIsOver()).toBe(false);
});
