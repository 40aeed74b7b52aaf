// Calls that are running, so that a server can wait for them before it ends.

export interface RunningCalls {
  add(call: Promise<unknown>): void;
  /** Resolves when all calls running now have ended, whether or not they succeeded. */
  ended(): Promise<unknown>;
}

export function openRunningCalls(): RunningCalls {
  const running = new Set<Promise<unknown>>();
  return {
    add(call) {
      running.add(call);
      call.finally(() => running.delete(call)).catch(() => {});
    },
    ended: () => Promise.allSettled([...running]),
  };
}
