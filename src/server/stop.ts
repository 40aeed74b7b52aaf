// How a server is stopped, and how long it then waits for running calls.

export const GRACE_MS = 2000;

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * While a server starts, a signal ends the process with code 0, because no call has come in yet.
 * Call the result once `stopRequested` listens.
 */
export function exitWhileStarting(): () => void {
  const exit = () => process.exit(0);
  for (const signal of SIGNALS) process.once(signal, exit);
  return () => {
    for (const signal of SIGNALS) process.off(signal, exit);
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
