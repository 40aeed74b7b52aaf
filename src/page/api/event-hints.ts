// GET /api/events: hints that a stream of the journal has changed, so that a page reloads what it
// shows. A hint contains no data. Missed hints are sent again when the page reconnects with the id of
// the last one it got; if that id is no longer known, one hint about everything (`*`) is sent.

import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Unsubscribe } from '../../journal/journal.ts';
import { type ApiProblem, problemAnswer } from './answers.ts';

interface Hint {
  readonly number: number;
  readonly stream: string;
  readonly seq: number | null;
}

export interface EventHints {
  /** Null: the stream is open. */
  open(lastId: string | null, res: ServerResponse, isAgent: boolean): Response | null;
  close(): void;
}

export interface EventHintsOptions {
  watch(onChange: (stream: string, seq: number | null) => void): Unsubscribe;
  readonly heartbeatMs?: number;
  readonly maxConnections?: number;
}

const HEARTBEAT_MS = 15_000;
const MAX_CONNECTIONS = 64;
/** Of these, so that agents cannot take all connections. */
const MAX_OF_AGENTS = 16;
/** Hints that can be sent again. */
const MAX_KEPT = 1000;
/** Unread bytes before a slow client is disconnected; it reconnects and misses nothing. */
const MAX_UNREAD = 64 * 1024;
const EVERYTHING = '*';

export function openEventHints(options: EventHintsOptions): EventHints {
  const { heartbeatMs = HEARTBEAT_MS, maxConnections = MAX_CONNECTIONS } = options;
  /** Tells the numbers of this server from those of another. */
  const epoch = randomBytes(6).toString('hex');
  const connections = new Set<ServerResponse>();
  const agents = new Set<ServerResponse>();
  let kept: Hint[] = [];
  let last = 0;
  let unwatch: Unsubscribe | null = null;
  let heartbeat: NodeJS.Timeout | undefined;

  const idOf = (number: number) => `${epoch}-${number}`;

  function changed(stream: string, seq: number | null): void {
    last += 1;
    const hint = { number: last, stream, seq };
    kept.push(hint);
    if (kept.length > 2 * MAX_KEPT) kept = kept.slice(-MAX_KEPT);
    for (const res of connections) write(res, written(hint));
  }

  function written({ number, stream, seq }: Hint): string {
    const id = idOf(number);
    return `id: ${id}\ndata: ${JSON.stringify({ id, stream, seq })}\n\n`;
  }

  function write(res: ServerResponse, text: string): void {
    if (res.destroyed || res.writableEnded) return;
    if (res.writableLength > MAX_UNREAD) res.destroy();
    else res.write(text);
  }

  /** The hints missed since this id; null if they are no longer known. */
  function missed(lastId: string): readonly Hint[] | null {
    const [, of, number] = /^([0-9a-f]{12})-(\d{1,15})$/.exec(lastId) ?? [];
    const since = Number(number);
    if (of !== epoch || since > last) return null;
    const first = kept[0]?.number ?? last + 1;
    if (since < first - 1) return null;
    // The newest hint of each stream is enough.
    const newest = new Map<string, Hint>();
    for (const hint of kept) if (hint.number > since) newest.set(hint.stream, hint);
    return [...newest.values()].sort((a, b) => a.number - b.number);
  }

  function greeting(lastId: string | null): string {
    // Even without a hint, a page that reconnects needs an id to resume from.
    const hello = `retry: 2000\nid: ${idOf(last)}\nevent: hello\ndata: {}\n\n`;
    if (lastId === null) return hello;
    const again = missed(lastId);
    if (again === null) return written({ number: last, stream: EVERYTHING, seq: null });
    return again.map(written).join('') + hello;
  }

  return {
    open(lastId, res, isAgent) {
      if (connections.size >= maxConnections) return problemAnswer(TOO_MANY);
      if (isAgent && agents.size >= MAX_OF_AGENTS) return problemAnswer(TOO_MANY);
      // Stays on after the first connection, so that hints between two connections are kept.
      unwatch ??= options.watch(changed);
      heartbeat ??= setInterval(() => {
        for (const each of connections) write(each, ': alive\n\n');
      }, heartbeatMs).unref();
      connections.add(res);
      if (isAgent) agents.add(res);
      res.on('error', () => {});
      res.once('close', () => {
        connections.delete(res);
        agents.delete(res);
      });
      res.writeHead(200, {
        'content-type': 'text/event-stream',
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
        'x-content-type-options': 'nosniff',
      });
      write(res, greeting(lastId));
      return null;
    },
    close() {
      unwatch?.();
      clearInterval(heartbeat);
      for (const res of connections) res.end();
    },
  };
}

const TOO_MANY: ApiProblem = {
  status: 503,
  code: 'busy',
  message: 'Too many pages are open on this server. Close some.',
  headers: { 'retry-after': '5' },
};
