// Stays connected to `GET /api/events`: reconnects by itself, with growing pauses, at once when the
// person comes back to the page, and when nothing has arrived for longer than the server's heartbeat.

import { problemOf, RequestFailed, readProblem } from './api.ts';
import { openEventParser } from './event-stream.ts';

export interface Hint {
  readonly stream: string;
  readonly seq: number;
}

export type Connection =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  | { readonly state: 'lost'; readonly since: number; readonly status: number };

export interface Following {
  connection(now: Connection): void;
  hint(hint: Hint): void;
}

/** The server sends something every 15 seconds. */
const SILENCE_MS = 40_000;
const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 5_000;

export async function followEvents(on: Following, stop: AbortSignal): Promise<void> {
  let lastId: string | null = null;
  let lostSince: number | null = null;
  let pause = MIN_PAUSE_MS;
  on.connection({ state: 'connecting' });
  while (!stop.aborted) {
    let status = 0;
    try {
      await readOnce(lastId, stop, {
        open() {
          lostSince = null;
          pause = MIN_PAUSE_MS;
          on.connection({ state: 'live' });
        },
        event(id, data) {
          lastId = id ?? lastId;
          const hint = readHint(data);
          if (hint !== null) on.hint(hint);
        },
      });
    } catch (error) {
      status = problemOf(error).status;
    }
    if (stop.aborted) return;
    lostSince ??= Date.now();
    on.connection({ state: 'lost', since: lostSince, status });
    await pauseFor(pause, stop);
    pause = Math.min(pause * 2, MAX_PAUSE_MS);
  }
}

interface Reading {
  open(): void;
  event(id: string | null, data: string): void;
}

async function readOnce(lastId: string | null, stop: AbortSignal, on: Reading): Promise<void> {
  const giveUp = new AbortController();
  const silent = () => giveUp.abort();
  let silence = setTimeout(silent, SILENCE_MS);
  stop.addEventListener('abort', silent);
  // The connection may be dead now; if it is not, reconnecting takes no time.
  window.addEventListener('offline', silent);
  try {
    const answer = await fetch('/api/events', {
      headers: {
        accept: 'text/event-stream',
        ...(lastId !== null && { 'last-event-id': lastId }),
      },
      cache: 'no-store',
      signal: giveUp.signal,
    });
    if (!answer.ok || answer.body === null) {
      throw new RequestFailed(readProblem(answer.status, await answer.text()));
    }
    on.open();
    const parse = openEventParser();
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(silence);
      silence = setTimeout(silent, SILENCE_MS);
      for (const { id, data } of parse(value)) on.event(id, data);
    }
  } finally {
    clearTimeout(silence);
    stop.removeEventListener('abort', silent);
    window.removeEventListener('offline', silent);
    giveUp.abort();
  }
}

function readHint(data: string): Hint | null {
  try {
    const { stream, seq } = JSON.parse(data) as Record<string, unknown>;
    return typeof stream === 'string' ? { stream, seq: Number(seq) } : null;
  } catch {
    return null;
  }
}

/** Until the time is over, the person comes back to the page, or the network does. */
function pauseFor(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', done);
      window.removeEventListener('online', done);
      stop.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    document.addEventListener('visibilitychange', done);
    window.addEventListener('online', done);
    stop.addEventListener('abort', done);
  });
}
