// How a server is told to stop, and how long it then waits for calls that are running.

export const GRACE_MS = 2000;

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

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

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
