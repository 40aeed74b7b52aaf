// Batches from a generator, as single items or run to their end.

/** The items of batches. By hand, because a generator would cost more than the events. */
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

export async function runOut<T>(steps: AsyncGenerator<unknown, T>): Promise<T> {
  for (;;) {
    const step = await steps.next();
    if (step.done) return step.value;
  }
}
