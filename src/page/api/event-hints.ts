// GET /api/events: hints that a stream of the journal has changed, so that a page asks again for
// what it shows. A hint is small and says nothing by itself; one that was missed is hinted again
// when the page comes back with the id of the last one it got. If that is not known any more,
// one hint about everything (`*`) follows.

import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Unsubscribe } from '../../journal/journal.ts';
import { problem } from './answers.ts';

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
/** Of these: agents leave room for people. */
const MAX_OF_AGENTS = 16;
/** Hints that can be given again. */
const MAX_KEPT = 1000;
/** Unread bytes before a slow reader is let go; it comes back and misses nothing. */
const MAX_UNREAD = 64 * 1024;
const EVERYTHING = '*';

export function openEventHints(options: EventHintsOptions): EventHints {
  const { heartbeatMs = HEARTBEAT_MS, maxConnections = MAX_CONNECTIONS } = options;
  /** Numbers of another server mean nothing here. */
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

  /** What was missed since; null: that is not known. */
  function missed(lastId: string): readonly Hint[] | null {
    const [, of, number] = /^([0-9a-f]{12})-(\d{1,15})$/.exec(lastId) ?? [];
    const since = Number(number);
    if (of !== epoch || since > last) return null;
    const first = kept[0]?.number ?? last + 1;
    if (since < first - 1) return null;
    // Of each stream the newest is enough.
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
      if (connections.size >= maxConnections) return TOO_MANY();
      if (isAgent && agents.size >= MAX_OF_AGENTS) return TOO_MANY();
      // From the first connection on, so that nothing falls between two of them.
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

const TOO_MANY = () =>
  problem({
    status: 503,
    code: 'busy',
    message: 'Too many pages are open at this server. Close some.',
    headers: { 'retry-after': '5' },
  });
