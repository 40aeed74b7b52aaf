// How long a call waits for a database that is away: five seconds in all, however often it has
// to ask. What counts is time in which something failed; a review of an hour uses none of it.
// Work outside any call has five seconds for each thing it asks.

import { setTimeout as sleep } from 'node:timers/promises';
import { type CallScope, callScope } from '../../async/call-scope.ts';

const IN_ALL_MS = 5000;
const PAUSE_MS = 100;

export interface Patience {
  /** Counts the time since then as lost, once, and pauses. False if nothing is left. */
  spend(since: number): Promise<boolean>;
  /** Something of this call was recorded: it can no longer be said that nothing was. */
  recorded(): void;
  readonly hasRecorded: boolean;
}

const ofCall = new WeakMap<CallScope, Patience>();

export function patience(): Patience {
  const scope = callScope();
  if (scope === undefined) return openPatience();
  const known = ofCall.get(scope) ?? openPatience();
  ofCall.set(scope, known);
  return known;
}

function openPatience(): Patience {
  let left = IN_ALL_MS;
  let hasRecorded = false;
  /** Up to here: of several attempts at the same time one counts. */
  let counted = Number.NEGATIVE_INFINITY;

  function count(since: number): void {
    const now = performance.now();
    left -= Math.max(0, now - Math.max(since, counted));
    counted = now;
  }

  return {
    async spend(since) {
      count(since);
      if (left <= 0) return false;
      const pausedAt = performance.now();
      await sleep(Math.min(left, PAUSE_MS));
      count(pausedAt);
      return left > 0;
    },
    recorded() {
      hasRecorded = true;
    },
    get hasRecorded() {
      return hasRecorded;
    },
  };
}
