// Works through a list with a bounded number of tasks under way at once, so that a
// folder of hundreds of files is read quickly without holding all of them open, and with
// pauses, because what is read and parsed at once never waits by itself.

import { nextSlice, sliceIsOver } from './slices.ts';

export async function mapConcurrent<T, R>(
  items: readonly T[],
  most: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      if (sliceIsOver()) await nextSlice();
      if (next >= items.length) return;
      const index = next++;
      results[index] = await work(items[index] as T);
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker));
  return results;
}
