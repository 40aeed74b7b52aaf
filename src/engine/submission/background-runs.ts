// Work that may outlive the call that started it. A call waits for it for a limited time; if it
// takes longer, the caller is asked to make the same call again, which joins it. A result that
// comes meanwhile is kept until it has been reported once.

import type { Call } from '../../core/session/repeats.ts';
import { MovedMeanwhile } from './while-here.ts';

export interface BackgroundWork {
  /** Aborted when every caller has cancelled. */
  readonly signal: AbortSignal;
  readonly progress: (message: string) => void;
  /** How many milliseconds the latest caller still waits; 0 if none does. */
  readonly timeLeft: () => number;
}

interface Joining<T> {
  /** The session that the work is for. */
  readonly session: string;
  /** The call that it answers (`callKey`), which does not depend on file contents. */
  readonly call: string;
  readonly start: (work: BackgroundWork) => Promise<T>;
  readonly within: number;
  readonly signal: AbortSignal;
  readonly progress: (message: string) => void;
}

type Ended<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'still_running'; readonly doing: string | null };

export interface BackgroundRuns<T> {
  join(key: string, joining: Joining<T>): Promise<Ended<T>>;
  /** Nothing is running, and no result is left to report. */
  isIdle(): boolean;
  /** Whether the result of this call has not been reported yet. */
  isUnanswered(call: string): boolean;
  /** The result of the call has been reported; work that still runs for it ends by itself. */
  answered(call: string): void;
  /** The caller knows the results of all that has ended for a session by other means. */
  makeKnown(session: string): void;
}

/** Results that are never fetched must not pile up. What still runs is never forgotten. */
const MAX_KEPT = 64;

interface Run<T> {
  readonly session: string;
  readonly call: string;
  readonly result: Promise<T>;
  readonly controller: AbortController;
  readonly callers: Set<(message: string) => void>;
  doing: string | null;
  isOver: boolean;
  /** When the latest caller stops waiting, by `performance.now()`. */
  until: number;
}

export function openBackgroundRuns<T>(): BackgroundRuns<T> {
  const runs = new Map<string, Run<T>>();

  function begin(key: string, { session, call, start }: Joining<T>): Run<T> {
    const controller = new AbortController();
    const callers: Run<T>['callers'] = new Set();
    const progress = (message: string) => {
      run.doing = message;
      for (const report of callers) report(message);
    };
    const timeLeft = () => Math.max(0, run.until - performance.now());
    const run: Run<T> = {
      session,
      call,
      // Deferred, so that `run` exists before its work can report progress.
      result: Promise.resolve().then(() =>
        start({ signal: controller.signal, progress, timeLeft }),
      ),
      controller,
      callers,
      doing: null,
      isOver: false,
      until: 0,
    };
    const end = () => {
      run.isOver = true;
      const over = [...runs].filter(([, each]) => each.isOver);
      for (const [oldest] of over.slice(0, -MAX_KEPT)) runs.delete(oldest);
    };
    run.result.then(end, (error) => {
      // No call can be about an arrival that the session has left.
      if (error instanceof MovedMeanwhile) runs.delete(key);
      end();
    });
    runs.set(key, run);
    return run;
  }

  return {
    async join(key, joining) {
      const { within, signal, progress } = joining;
      const run = runs.get(key) ?? begin(key, joining);
      run.callers.add(progress);
      run.until = performance.now() + within;
      const done = await firstOf(run.result, within, signal).finally(() =>
        run.callers.delete(progress),
      );
      if (done === 'late') return { kind: 'still_running', doing: run.doing };
      const isAbandoned = done === 'cancelled' && run.callers.size === 0;
      // The run ends by itself then, and the caller gets its error.
      if (isAbandoned) run.controller.abort();
      if (isAbandoned || done === 'ended') runs.delete(key);
      return { kind: 'done', value: await run.result };
    },

    isIdle: () => runs.size === 0,
    isUnanswered: (call) => [...runs.values()].some((run) => run.call === call),

    answered(call) {
      for (const [key, run] of runs) if (run.call === call) runs.delete(key);
    },

    makeKnown(session) {
      for (const [key, run] of runs) if (run.session === session && run.isOver) runs.delete(key);
    },
  };
}

/** Identifies a call at an arrival until it is answered. */
export function callKey(session: string, arrival: number, call: Call): string {
  return JSON.stringify([session, arrival, call]);
}

async function firstOf(
  result: Promise<unknown>,
  within: number,
  signal: AbortSignal,
): Promise<'ended' | 'late' | 'cancelled'> {
  let stop = () => {};
  const interrupted = new Promise<'late' | 'cancelled'>((resolve) => {
    const timer = setTimeout(() => resolve('late'), within);
    const cancel = () => resolve('cancelled');
    signal.addEventListener('abort', cancel);
    if (signal.aborted) cancel();
    stop = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
    };
  });
  const ended = result.then(
    () => 'ended' as const,
    () => 'ended' as const,
  );
  return Promise.race([ended, interrupted]).finally(stop);
}
