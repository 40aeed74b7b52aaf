// Runs a piece of work at most once at a time. A call that comes while it runs cannot share
// that run, which may already have passed what the call has to see; it waits for the next
// run, together with all other calls that come meanwhile. The work gets all their arguments.

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
