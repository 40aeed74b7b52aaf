// Lets work under one name happen one after the other within this process. It is no
// lock and nothing depends on it for being right; it only spares two callers of one
// process a race that one of them is sure to lose.

export type KeyedMutex = <T>(name: string, work: () => Promise<T>) => Promise<T>;

export function keyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>();

  return async (name, work) => {
    const before = last.get(name) ?? Promise.resolve();
    const mine = before.then(work, work);
    last.set(name, mine);
    try {
      return await mine;
    } finally {
      if (last.get(name) === mine) last.delete(name);
    }
  };
}
