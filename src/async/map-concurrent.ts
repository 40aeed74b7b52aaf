// Maps a list with a bounded number of tasks at once, so that a folder of hundreds of files
// is read quickly without opening all of them together. It pauses between items, because
// synchronous reading and parsing would block the event loop.

import { nextSlice, sliceIsOver } from './slices.ts';

export async function mapConcurrent<T, R>(
  items: readonly T[],
  limit: number,
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
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}
