// Runs a piece of work at most once at a time. A call made during a run cannot share that run,
// which may already be past what the call has to see. It waits for the next run, together with
// all other calls made until then. The work gets the arguments of all of them.

export function coalesce<T, Ask = void>(
  work: (asked: readonly Ask[]) => Promise<T>,
): (ask: Ask) => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: { readonly asked: Ask[]; readonly done: Promise<T> } | null = null;

  const plan = () => {
    const asked: Ask[] = [];
    const done = running.then(() => {
      next = null;
      const begun = work(asked);
      running = begun.catch(() => undefined);
      return begun;
    });
    return { asked, done };
  };

  return (ask) => {
    next ??= plan();
    next.asked.push(ask);
    return next.done;
  };
}
