// Lets a piece of work run once at a time. A call that comes while it runs must not share
// that run, which may have passed by what the call is meant to see; it waits for the next
// one, and so do all others that come meanwhile.

export function coalesce<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  return () => {
    next ??= running.then(() => {
      next = null;
      const begun = work();
      running = begun.catch(() => undefined);
      return begun;
    });
    return next;
  };
}
