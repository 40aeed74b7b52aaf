// The open responses. Each is bounded, but there may be thousands: so their number and their
// total unread bytes are limited, too. A client that reads is never disconnected; of those
// that do not, the one with the most unread bytes is disconnected first.

import type { ServerResponse } from 'node:http';
import type { HttpLimits } from './limits.ts';

export interface OpenResponses {
  /** False if there are too many already. */
  add(res: ServerResponse): boolean;
}

export function openResponses(
  limits: Pick<HttpLimits, 'requests' | 'allUnreadBytes' | 'unreadMs'>,
): OpenResponses {
  const open = new Set<ServerResponse>();
  let sweeper: NodeJS.Timeout | undefined;
  /** Since when an answer has been complete but unread. */
  const unread = new WeakMap<ServerResponse, number>();

  function sweep(): void {
    const now = performance.now();
    let total = 0;
    for (const res of open) {
      total += res.writableLength;
      if (!res.writableEnded || res.writableLength === 0) continue;
      const since = unread.get(res) ?? now;
      unread.set(res, since);
      if (now - since >= limits.unreadMs) res.destroy();
    }
    if (total <= limits.allUnreadBytes) return;
    for (const res of [...open].sort((a, b) => b.writableLength - a.writableLength)) {
      if (total <= limits.allUnreadBytes) return;
      total -= res.writableLength;
      res.destroy();
    }
  }

  return {
    add(res) {
      if (open.size >= limits.requests) return false;
      open.add(res);
      sweeper ??= setInterval(sweep, SWEEP_MS).unref();
      res.once('close', () => {
        open.delete(res);
        if (open.size > 0) return;
        clearInterval(sweeper);
        sweeper = undefined;
      });
      return true;
    },
  };
}

const SWEEP_MS = 100;
