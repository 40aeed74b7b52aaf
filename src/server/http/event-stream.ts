// A stream of events to one client, as text/event-stream. A client that stops reading is
// disconnected before its unread data grows without bound.

import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { LIMITS } from './limits.ts';

export interface EventStream {
  /** Resolves to whether the event was handed to the system; false if the client is gone. */
  send(event: string, data: string): Promise<boolean>;
  close(): void;
}

const KEEP_ALIVE_MS = 15_000;

export function openEventStream(
  res: ServerResponse,
  headers: OutgoingHttpHeaders = {},
  unreadBytes = LIMITS.unreadBytes,
): EventStream {
  res.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    ...headers,
  });
  res.flushHeaders();
  const keepAlive = setInterval(() => void write(': keepalive\n\n'), KEEP_ALIVE_MS).unref();
  const pending = new Set<(written: boolean) => void>();
  res.on('error', () => {});
  res.once('close', () => {
    clearInterval(keepAlive);
    for (const reportOutcome of pending) reportOutcome(false);
  });

  function write(text: string): Promise<boolean> {
    if (res.destroyed || res.writableEnded) return Promise.resolve(false);
    if (res.writableLength > unreadBytes) {
      res.destroy();
      return Promise.resolve(false);
    }
    return new Promise((resolve) => {
      pending.add(resolve);
      res.write(text, (error) => {
        pending.delete(resolve);
        resolve(!error);
      });
    });
  }

  return {
    // JSON has no line breaks, so it fits into one data line.
    send: (event, data) => write(`event: ${event}\ndata: ${data}\n\n`),
    close() {
      clearInterval(keepAlive);
      res.end();
    },
  };
}
