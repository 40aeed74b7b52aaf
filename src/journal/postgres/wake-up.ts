// Notices appends by other processes at once, by LISTEN on a separate connection. That connection
// may fall silent without being closed, and a notification may be lost with it. So a connection
// that has been silent for five seconds is tested and, if it does not answer, replaced; and every
// ten seconds changes are queried anyway. Nothing here keeps the process alive.

import { openPool, type Pool } from './pool.ts';

const TEST_AFTER_MS = 5000;
const ANSWER_MS = 2000;
const POLL_MS = 10_000;
const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 5000;

export interface WakeUp {
  /** May be called again. */
  start(): void;
  stop(): void;
}

export interface WakeUpOptions {
  readonly url: string;
  readonly channel: string;
  readonly onWake: (stream: string) => void;
  /** Queries what has changed. */
  readonly refresh: () => Promise<void>;
}

export function openWakeUp({ url, channel, onWake, refresh }: WakeUpOptions): WakeUp {
  let started = false;
  let stopped = false;
  let pool: Pool | null = null;
  let lastHeard = 0;
  let pause = FIRST_PAUSE_MS;
  const timers = new Set<NodeJS.Timeout>();

  function later(work: () => Promise<void>, milliseconds: number): void {
    if (stopped) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      work().catch(() => {});
    }, milliseconds).unref();
    timers.add(timer);
  }

  async function listen(): Promise<void> {
    if (stopped) return;
    const mine = await openPool({
      url,
      connections: 1,
      onNotify(_channel, stream) {
        lastHeard = performance.now();
        onWake(stream);
      },
      onClose: () => mine !== undefined && replace(mine),
    });
    pool = mine;
    try {
      await mine.run(`listen "${channel}"`, [], ANSWER_MS);
      lastHeard = performance.now();
      pause = FIRST_PAUSE_MS;
      // For appends made before this connection listened.
      await refresh().catch(() => {});
      later(() => test(mine), TEST_AFTER_MS);
    } catch {
      replace(mine);
    }
  }

  async function test(mine: Pool): Promise<void> {
    if (pool !== mine || stopped) return;
    const silent = performance.now() - lastHeard;
    if (silent >= TEST_AFTER_MS) {
      try {
        await mine.run('select 1', [], ANSWER_MS);
        lastHeard = performance.now();
      } catch {
        replace(mine);
        return;
      }
    }
    later(() => test(mine), Math.max(100, TEST_AFTER_MS - (performance.now() - lastHeard)));
  }

  /** Takes effect once per connection, because its close is reported as well. */
  function replace(mine: Pool): void {
    if (pool !== mine) return;
    pool = null;
    mine.destroy();
    later(listen, pause);
    pause = Math.min(2 * pause, MAX_PAUSE_MS);
  }

  async function poll(): Promise<void> {
    await refresh().catch(() => {});
    later(poll, POLL_MS);
  }

  return {
    start() {
      if (started || stopped) return;
      started = true;
      listen().catch(() => {});
      later(poll, POLL_MS);
    },
    stop() {
      stopped = true;
      for (const timer of timers) clearTimeout(timer);
      pool?.destroy();
      pool = null;
    },
  };
}
