// Lets a piece of work run once at a time. A call that comes while it runs must not share
// that run, which may have passed by what the call is meant to see; it waits for the next
// one, and so do all others that come meanwhile. The work is given what each of them asked.

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
