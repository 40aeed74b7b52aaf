// How a server is stopped, and how long it then waits for running calls. One that was started with
// `nohup` outlives its terminal.

import { isUnderNohup } from '../environment/process/under-nohup.ts';

export const GRACE_MS = 2000;

type Signal = 'SIGTERM' | 'SIGINT' | 'SIGHUP';

function signals(): readonly Signal[] {
  return isUnderNohup() ? ['SIGTERM', 'SIGINT'] : ['SIGTERM', 'SIGINT', 'SIGHUP'];
}

/**
 * While a server starts, a signal ends the process with code 0, because no call has come in yet.
 * Call the result once `stopRequested` listens.
 */
export function exitWhileStarting(): () => void {
  const exit = () => process.exit(0);
  const all = signals();
  for (const signal of all) process.once(signal, exit);
  if (!all.includes('SIGHUP')) process.on('SIGHUP', () => {});
  return () => {
    for (const signal of all) process.off(signal, exit);
  };
}

/** Resolves at the first signal; stops listening once `enough` is aborted. */
export function stopRequested(enough: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of signals()) {
      const stop = () => resolve();
      process.once(signal, stop);
      enough.addEventListener('abort', () => process.off(signal, stop));
    }
  });
}
