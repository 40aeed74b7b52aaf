// How long a call waits for an unavailable database: five seconds in total, for all its queries.
// Only the time of failed attempts counts; a review of an hour uses none of it. Outside a call,
// each query has five seconds.

import { setTimeout as sleep } from 'node:timers/promises';
import { type CallScope, callScope } from '../../async/call-scope.ts';

const MAX_WAIT_MS = 5000;
const PAUSE_MS = 100;

export interface WaitBudget {
  /** Takes the time since then from the budget, once, and pauses. False if nothing is left. */
  spend(since: number): Promise<boolean>;
  /** The call has recorded something: a failure must no longer claim that nothing was. */
  recorded(): void;
  readonly hasRecorded: boolean;
}

const ofCall = new WeakMap<CallScope, WaitBudget>();

export function waitBudget(): WaitBudget {
  const scope = callScope();
  if (scope === undefined) return openWaitBudget();
  const known = ofCall.get(scope) ?? openWaitBudget();
  ofCall.set(scope, known);
  return known;
}

function openWaitBudget(): WaitBudget {
  let left = MAX_WAIT_MS;
  let hasRecorded = false;
  /** The time counted so far: of concurrent attempts only one counts. */
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
