// The sessions of the handshake era: found by id, ended after half an hour without use, and
// limited in number. No work is bound to one, so if there are too many, an idle one is ended:
// first those that were opened and never used, then the least recently used.

import { randomUUID } from 'node:crypto';
import type { Server } from '@modelcontextprotocol/server';
import { openSessionTransport, type SessionTransport } from './session-transport.ts';
import type { Bearer } from './tokens.ts';

export interface Sessions {
  /** Null if there is none, or it belongs to someone else. */
  find(id: string, bearer: Bearer): SessionTransport | null;
  /** A new one, for callers with the same token; null if all are busy. */
  open(bearer: Bearer): Promise<SessionTransport | null>;
  end(id: string): Promise<void>;
  count(): number;
  endAll(): Promise<void>;
}

export interface SessionsOptions {
  readonly createServer: () => Server;
  readonly limit: number;
  readonly idleMs: number;
  readonly now: () => number;
}

interface Session {
  readonly bearer: Bearer;
  readonly transport: SessionTransport;
  usedAt: number;
  uses: number;
}

/** The request and the answer of `initialize`, and the notification after it. */
const OPENING_USES = 3;
const MINUTE = 60_000;

export function openSessions(options: SessionsOptions): Sessions {
  const { createServer, limit, idleMs, now } = options;
  const sessions = new Map<string, Session>();
  const sweeper = setInterval(sweep, Math.min(MINUTE, idleMs / 2)).unref();

  function isOver({ transport, usedAt }: Session): boolean {
    return !transport.busy() && now() - usedAt >= idleMs;
  }

  function sweep(): void {
    for (const [id, session] of sessions) if (isOver(session)) void end(id);
  }

  /** Whether there is room, ending a session if necessary. */
  function makeRoom(): boolean {
    if (sessions.size < limit) return true;
    let victim: string | null = null;
    let lowest = Number.POSITIVE_INFINITY;
    for (const [id, { transport, uses, usedAt }] of sessions) {
      if (transport.busy()) continue;
      // Times are positive, so sessions that were never used sort first.
      const rank = uses > OPENING_USES ? usedAt : usedAt - Number.MAX_SAFE_INTEGER;
      if (rank >= lowest) continue;
      victim = id;
      lowest = rank;
    }
    if (victim === null) return false;
    void end(victim);
    return true;
  }

  async function end(id: string): Promise<void> {
    const session = sessions.get(id);
    sessions.delete(id);
    await session?.transport.close();
  }

  return {
    find(id, bearer) {
      const session = sessions.get(id);
      if (session?.bearer !== bearer) return null;
      if (!isOver(session)) return session.transport;
      void end(id);
      return null;
    },
    async open(bearer) {
      if (!makeRoom()) return null;
      const id = randomUUID();
      const transport = openSessionTransport(id, () => {
        session.usedAt = now();
        session.uses += 1;
      });
      const session: Session = { bearer, transport, usedAt: now(), uses: 0 };
      sessions.set(id, session);
      await createServer().connect(transport);
      return transport;
    },
    end,
    count: () => sessions.size,
    async endAll() {
      clearInterval(sweeper);
      await Promise.all([...sessions.keys()].map(end));
    },
  };
}
