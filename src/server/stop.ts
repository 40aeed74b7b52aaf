// How a server is told to stop, and how long it then waits for calls that are running.

export const GRACE_MS = 2000;

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * While a server starts, a signal ends the process in order: nobody has called anything yet.
 * To be released once `toldToStop` listens.
 */
export function leaveWhileStarting(): () => void {
  const leave = () => process.exit(0);
  for (const signal of SIGNALS) process.once(signal, leave);
  return () => {
    for (const signal of SIGNALS) process.off(signal, leave);
  };
}

/** Resolves at the first signal; once `enough` is aborted it listens no more. */
export function toldToStop(enough: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of SIGNALS) {
      const stop = () => resolve();
      process.once(signal, stop);
      enough.addEventListener('abort', () => process.off(signal, stop));
    }
  });
}

/** Waits for all of it, but no longer than this; leaves no timer behind. */
export async function settledWithin(
  work: Iterable<Promise<unknown>>,
  milliseconds: number,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([Promise.allSettled([...work]), enough]);
  clearTimeout(timer);
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
