import { expect, it } from 'vitest';
import { keyedMutex } from './keyed-mutex.ts';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

it('runs work with the same key one at a time, even after a failure', async () => {
  const inTurn = keyedMutex();
  let running = 0;
  const order: number[] = [];
  const works = [0, 1, 2, 3].map((n) =>
    inTurn('a', async () => {
      running += 1;
      expect(running).toBe(1);
      await pause(5 - n);
      running -= 1;
      order.push(n);
      if (n === 1) throw new Error('failed');
      return n;
    }),
  );
  const results = await Promise.allSettled(works);
  expect(order).toEqual([0, 1, 2, 3]);
  expect(results.map((result) => result.status === 'fulfilled')).toEqual([true, false, true, true]);
});

it('does not make one key wait for another', async () => {
  const inTurn = keyedMutex();
  let release = () => {};
  const blocked = inTurn('a', () => new Promise<void>((resolve) => (release = resolve)));
  expect(await inTurn('b', async () => 'through')).toBe('through');
  release();
  await blocked;
});
