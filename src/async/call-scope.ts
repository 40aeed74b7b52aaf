// The tool call that the current code runs for. A remote store may reuse what it has read since
// the call began instead of querying again for each question of the same call. That is valid
// until the call has waited for something outside it (a program that it ran, a person's answer),
// because others may have recorded events in the meantime.

import { AsyncLocalStorage } from 'node:async_hooks';

export interface CallScope {
  /** What was read before this time (`performance.now()`) may be outdated. */
  freshSince: number;
}

const running = new AsyncLocalStorage<CallScope>();

/** Undefined outside any call. */
export function callScope(): CallScope | undefined {
  return running.getStore();
}

export function withinCall<T>(run: () => Promise<T>): Promise<T> {
  return callScope() === undefined ? inNewCall(run) : run();
}

/** For work that must read current state without discarding what the surrounding call has read. */
export function inNewCall<T>(run: () => Promise<T>): Promise<T> {
  return running.run({ freshSince: performance.now() }, run);
}

/** To be called after the current call has waited for something outside it. */
export function requireFreshReads(): void {
  const scope = callScope();
  if (scope !== undefined) scope.freshSince = performance.now();
}
