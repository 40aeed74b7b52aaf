// Work that may outlive the call that began it. A call waits for it for a while; if it
// takes longer, the caller is asked to come back, and the same call joins it again. What
// ended meanwhile is kept until it has been reported once.

import type { Call } from '../../core/session/repeats.ts';

export interface Work {
  /** Aborted when every caller has given up, or what it is for is over. */
  readonly signal: AbortSignal;
  readonly progress: (message: string) => void;
  /** For how many milliseconds the caller that came last still waits; 0 if none does. */
  readonly timeLeft: () => number;
}

interface Joining<T> {
  /** What the work is for. */
  readonly session: string;
  /** The call that it answers (`callKey`), whatever the files that it is about. */
  readonly call: string;
  readonly start: (work: Work) => Promise<T>;
  readonly within: number;
  readonly signal: AbortSignal;
  readonly progress: (message: string) => void;
}

type Ended<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'still_running'; readonly doing: string | null };

export interface BackgroundRuns<T> {
  join(key: string, joining: Joining<T>): Promise<Ended<T>>;
  /** Nothing is running, and no outcome is left to report. */
  isIdle(): boolean;
  /** Whether no one has been told yet what came of this call. */
  isUnanswered(call: string): boolean;
  /** It was told what came of the call; what still runs for it ends by itself. */
  answered(call: string): void;
  /** Ends what runs for a session: its outcome could not count any more. */
  drop(session: string): void;
}

/** Results that are never fetched must not pile up. */
const KEPT = 64;

interface Run<T> {
  readonly session: string;
  readonly call: string;
  readonly result: Promise<T>;
  readonly controller: AbortController;
  readonly callers: Set<(message: string) => void>;
  doing: string | null;
  /** When the caller that came last gives up, by `performance.now()`. */
  until: number;
}

export function openBackgroundRuns<T>(): BackgroundRuns<T> {
  const runs = new Map<string, Run<T>>();

  function begin(key: string, { session, call, start }: Joining<T>): Run<T> {
    const controller = new AbortController();
    const callers: Run<T>['callers'] = new Set();
    const progress = (message: string) => {
      run.doing = message;
      for (const tell of callers) tell(message);
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
      until: 0,
    };
    run.result.catch(() => {});
    runs.set(key, run);
    const [oldest] = runs.keys();
    if (runs.size > KEPT && oldest !== undefined) runs.delete(oldest);
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
      if (done === 'cancelled') {
        if (run.callers.size === 0) {
          run.controller.abort();
          runs.delete(key);
        }
        // The run ends by itself now; its own error is what the caller gets.
        return { kind: 'done', value: await run.result };
      }
      runs.delete(key);
      return { kind: 'done', value: await run.result };
    },

    isIdle: () => runs.size === 0,
    isUnanswered: (call) => [...runs.values()].some((run) => run.call === call),

    answered(call) {
      for (const [key, run] of runs) if (run.call === call) runs.delete(key);
    },

    drop(session) {
      for (const [key, run] of runs) {
        if (run.session !== session) continue;
        run.controller.abort();
        runs.delete(key);
      }
    },
  };
}

/** What a call at an arrival is known by for as long as it has no answer. */
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
