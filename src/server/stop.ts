// How a server is stopped, and how long it then waits for running calls. One that was started with
// `nohup` outlives its terminal.

import type { Signals } from '../environment/process/signals.ts';
import { isUnderNohup } from '../environment/process/under-nohup.ts';

export const GRACE_MS = 2000;

function stoppedBy(env: NodeJS.ProcessEnv): readonly NodeJS.Signals[] {
  return isUnderNohup(env) ? ['SIGTERM', 'SIGINT'] : ['SIGTERM', 'SIGINT', 'SIGHUP'];
}

/** Ignored by a server that outlives its terminal, also after `enough`. */
export function ignoreOtherSignals(signals: Signals, env: NodeJS.ProcessEnv): void {
  if (!stoppedBy(env).includes('SIGHUP')) signals.on('SIGHUP', () => {});
}

/** Resolves at the first signal; stops listening once `enough` is aborted. */
export function stopRequested(
  signals: Signals,
  env: NodeJS.ProcessEnv,
  enough: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of stoppedBy(env)) {
      const stop = () => resolve();
      signals.once(signal, stop);
      enough.addEventListener('abort', () => signals.off(signal, stop));
    }
  });
}
