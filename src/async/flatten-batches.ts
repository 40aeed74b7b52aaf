// Reads an async generator of batches item by item, or runs it to its end.

/** The items of batches. Written by hand, because an async generator is slower per item. */
export function flattenBatches<T>(batches: AsyncGenerator<readonly T[], void>): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      let batch: readonly T[] = [];
      let at = 0;
      const item = (): IteratorResult<T> => ({ value: batch[at++] as T, done: false });
      const refill = async (): Promise<IteratorResult<T>> => {
        const next = await batches.next();
        if (next.done) return { value: undefined, done: true };
        batch = next.value;
        at = 0;
        return item();
      };
      return {
        next: () => (at < batch.length ? Promise.resolve(item()) : refill()),
        async return() {
          await batches.return();
          return { value: undefined, done: true };
        },
      };
    },
  };
}

export async function drain<T>(steps: AsyncGenerator<unknown, T>): Promise<T> {
  for (;;) {
    const step = await steps.next();
    if (step.done) return step.value;
  }
}
