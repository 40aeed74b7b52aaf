// The tool call that code runs in, wherever it is by then: a store that is far away may use what
// it was told since the call began, instead of asking again for every question of the same call.
// That holds as long as the call depends on nothing but itself. Once it has waited for others (a
// program that it ran, a person who answered), they may have recorded something meanwhile.

import { AsyncLocalStorage } from 'node:async_hooks';

export interface CallScope {
  /** What was read before may be too old, by `performance.now()`. */
  freshSince: number;
}

const running = new AsyncLocalStorage<CallScope>();

/** Undefined outside any call. */
export function callScope(): CallScope | undefined {
  return running.getStore();
}

export function withinCall<T>(run: () => Promise<T>): Promise<T> {
  return callScope() === undefined ? inOwnCall(run) : run();
}

/** Work of a call that must see what is there now, without making the call itself ask again. */
export function inOwnCall<T>(run: () => Promise<T>): Promise<T> {
  return running.run({ freshSince: performance.now() }, run);
}

/** The call that this runs in has waited for others: from here on it reads anew. */
export function readAnew(): void {
  const scope = callScope();
  if (scope !== undefined) scope.freshSince = performance.now();
}
