// Notifies watchers inside this process that streams changed. Changes that come close
// together are reported once, and never from inside the call that made them.

import type { Unsubscribe } from './journal.ts';

export interface Notifier {
  watch(prefix: string, onChange: (stream: string) => void): Unsubscribe;
  changed(stream: string): void;
  /** Stops all notifications. */
  close(): void;
  readonly closed: boolean;
}

const GATHER_MS = 10;

export function createNotifier(): Notifier {
  const listeners = new Set<(stream: string) => void>();
  const stops = new Set<Unsubscribe>();
  let closed = false;

  return {
    watch(prefix, onChange) {
      const pending = new Set<string>();
      let timer: NodeJS.Timeout | undefined;

      function flush(): void {
        timer = undefined;
        const streams = [...pending];
        pending.clear();
        for (const stream of streams) onChange(stream);
      }
      function add(stream: string): void {
        if (!stream.startsWith(prefix)) return;
        pending.add(stream);
        timer ??= setTimeout(flush, GATHER_MS).unref();
      }

      function stop(): void {
        listeners.delete(add);
        stops.delete(stop);
        clearTimeout(timer);
        pending.clear();
      }

      if (closed) return stop;
      listeners.add(add);
      stops.add(stop);
      return stop;
    },

    changed(stream) {
      for (const add of listeners) add(stream);
    },

    close() {
      closed = true;
      for (const stop of [...stops]) stop();
    },
    get closed() {
      return closed;
    },
  };
}
