// Who is at work, across machines: a process takes a lease before its first event and renews it
// at a third of its time. Whether a lease has run out is for the database to say, by its own
// clock; clocks of machines are not compared. A process that ends in order gives its lease back.
//
// A lease only tells others whether they may take work over. A process that lost its lease
// unnoticed (it was stopped, its network was gone) learns of a takeover when its commit is
// refused, and otherwise goes on.
//
// Of processes of this machine more is known: one that is gone is gone at once, without waiting
// for its lease to run out.

import { coalesce } from '../../async/coalesce.ts';
import type { Liveness, Processes } from '../../core/session/ownership.ts';
import type { Database } from './database.ts';
import type { StoreLease } from './store.ts';

/** How old an answer may be. */
const FRESH_MS = 500;
/** Rows of processes that are gone tell that they are gone; after this they are removed. */
const KEPT = `interval '7 days'`;
const MAX_ASKED = 1000;

export interface Leases {
  readonly processes: Processes;
  /** Takes the lease, once; then it is renewed. */
  hold(): Promise<void>;
  /** Asks who is at work, if the last answer is old. */
  look(): Promise<void>;
  list(): Promise<StoreLease[]>;
  /** Gives the lease back. */
  end(): Promise<void>;
}

export interface LeaseOptions {
  readonly db: Database;
  readonly workspace: string;
  readonly seconds: number;
  /** Those of this machine. */
  readonly system: Processes;
  /** The agent that this process works for; null if it works for several. */
  readonly agent: string | null;
}

export function openLeases({ db, workspace, seconds, system, agent }: LeaseOptions): Leases {
  const own = system.own();
  const table = `${db.schema}lease`;
  let alive = new Map<string, boolean>();
  let lookedAt = Number.NEGATIVE_INFINITY;
  /** When someone was asked about for whom there is no row: their lease may be newer than ours. */
  const missed = new Map<string, number>();
  let taking: Promise<unknown> | null = null;
  let renewing: NodeJS.Timeout | undefined;
  let ended = false;

  const take = () =>
    db.ask(
      `insert into ${table} (workspace, process, host, agent, expires)
       values ($1, $2, $3, $4, now() + $5::float8 * interval '1 second')
       on conflict (workspace, process) do update set expires = excluded.expires`,
      [workspace, own, hostOf(own), agent, seconds],
    );

  async function takeFirst(): Promise<void> {
    await take();
    renewing = setInterval(
      () => {
        if (!ended) take().catch(() => {});
      },
      (seconds * 1000) / 3,
    ).unref();
    await db.ask(`delete from ${table} where workspace = $1 and expires < now() - ${KEPT}`, [
      workspace,
    ]);
  }

  const lookNow = coalesce(async () => {
    const begun = performance.now();
    if (begun - lookedAt < FRESH_MS) return;
    const rows = await db.ask<{ process: string; alive: boolean }>(
      `select process, expires > now() as alive from ${table} where workspace = $1`,
      [workspace],
    );
    alive = new Map(rows.map((row) => [row.process, row.alive]));
    lookedAt = begun;
  });

  function livenessOf(process: string): Liveness {
    const here = system.livenessOf(process);
    if (process === own || here === 'gone') return here;
    const known = alive.get(process);
    if (known !== undefined) return known ? 'alive' : 'gone';
    return here === 'alive' ? 'alive' : livenessOfMissed(process);
  }

  /** Its lease may have been taken after we asked; if the next answer lacks it, too, it is gone. */
  function livenessOfMissed(process: string): Liveness {
    const since = missed.get(process);
    if (since !== undefined) return lookedAt > since ? 'gone' : 'unknown';
    missed.set(process, performance.now());
    const [oldest] = missed.keys();
    if (missed.size > MAX_ASKED && oldest !== undefined) missed.delete(oldest);
    return 'unknown';
  }

  return {
    processes: {
      own: () => own,
      livenessOf,
      canLoseWork: () => true,
      describe(process) {
        if (system.livenessOf(process) !== 'unknown') return system.describe(process);
        const liveness = livenessOf(process);
        if (liveness === 'unknown') return system.describe(process);
        const how = liveness === 'alive' ? 'running' : 'gone';
        return `process ${process.split('/')[1]} (${how}, on host '${hostOf(process)}')`;
      },
    },
    async hold() {
      if (ended) return;
      taking ??= takeFirst();
      try {
        await taking;
      } catch (error) {
        taking = null;
        throw error;
      }
    },
    async look() {
      if (performance.now() - lookedAt >= FRESH_MS) await lookNow();
    },
    async list() {
      const rows = await db.ask<Row>(
        `select host, process, agent, extract(epoch from expires - now())::float8 as left
         from ${table} where workspace = $1 and expires > now() order by host, process`,
        [workspace],
      );
      return rows.map(({ host, process, agent: name, left }) => ({
        ...{ host, process, agent: name },
        expiresInSeconds: Math.round(Number(left)),
      }));
    },
    async end() {
      if (ended) return;
      ended = true;
      clearInterval(renewing);
      if (taking === null) return;
      await db
        .askOnce(
          `update ${table} set expires = now() where workspace = $1 and process = $2`,
          [workspace, own],
          1000,
        )
        .catch(() => {});
    },
  };
}

interface Row {
  readonly host: string;
  readonly process: string;
  readonly agent: string | null;
  readonly left: string;
}

/** `host:boot:namespace/pid/start` */
function hostOf(process: string): string {
  return process.split(':', 1)[0] || 'unknown';
}
