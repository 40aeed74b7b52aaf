// How a server is stopped, and how long it then waits for running calls.

export const GRACE_MS = 2000;

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * While a server starts, a signal ends the process with code 0: no call has come in yet.
 * Call the result once `stopRequested` listens.
 */
export function leaveWhileStarting(): () => void {
  const leave = () => process.exit(0);
  for (const signal of SIGNALS) process.once(signal, leave);
  return () => {
    for (const signal of SIGNALS) process.off(signal, leave);
  };
}

/** Resolves at the first signal; stops listening once `enough` is aborted. */
export function stopRequested(enough: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of SIGNALS) {
      const stop = () => resolve();
      process.once(signal, stop);
      enough.addEventListener('abort', () => process.off(signal, stop));
    }
  });
}

/** Waits for the end of something, up to a time limit. */
export async function endedWithin(work: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, enough]);
  clearTimeout(timer);
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
