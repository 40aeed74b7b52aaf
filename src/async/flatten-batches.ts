// Reads an async generator of batches item by item, or runs it to its end.

export async function* flattenBatches<T>(
  batches: AsyncIterable<readonly T[]>,
): AsyncGenerator<T, void> {
  for await (const batch of batches) for (const item of batch) yield item;
}

export async function drain<T>(steps: AsyncGenerator<unknown, T>): Promise<T> {
  for (;;) {
    const step = await steps.next();
    if (step.done) return step.value;
  }
}
