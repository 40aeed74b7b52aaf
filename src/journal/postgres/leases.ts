// Which processes are alive, across machines: a process takes a lease before its first event and
// renews it after a third of its duration. Only the database's clock decides whether a lease has
// expired; clocks of machines are not compared. A process that ends normally gives up its lease.
//
// A lease only tells others whether they may take work over. A process that lost its lease without
// noticing (it was suspended, its network was down) learns of a takeover when its commit is
// refused; otherwise it continues.
//
// A process of this machine that has ended counts as gone at once, even if its lease is valid.

import { coalesce } from '../../async/coalesce.ts';
import type { Liveness, Processes } from '../../core/session/ownership.ts';
import type { Database } from './database.ts';
import type { StoreLease } from './store.ts';

/** How long a result may be used. */
const FRESH_MS = 500;
/** Expired leases are kept for this long, because they show that a process is gone. */
const MAX_AGE = `interval '7 days'`;
const MAX_MISSED = 1000;

export interface Leases {
  readonly processes: Processes;
  /** Takes the lease, once; from then on it is renewed. */
  hold(): Promise<void>;
  /** Queries all leases, unless the last result is recent. */
  refresh(): Promise<void>;
  list(): Promise<StoreLease[]>;
  /** Gives up the lease. */
  end(): Promise<void>;
}

export interface LeaseOptions {
  readonly db: Database;
  readonly workspace: string;
  readonly seconds: number;
  /** The processes of this machine. */
  readonly system: Processes;
  /** The agent that this process works for; null if it works for several. */
  readonly agent: string | null;
}

export function openLeases({ db, workspace, seconds, system, agent }: LeaseOptions): Leases {
  const own = system.own();
  const table = `${db.schema}lease`;
  let alive = new Map<string, boolean>();
  let refreshedAt = Number.NEGATIVE_INFINITY;
  /** Processes without a lease in the last result, and when this was noticed. */
  const missed = new Map<string, number>();
  let taking: Promise<unknown> | null = null;
  let renewing: NodeJS.Timeout | undefined;
  let ended = false;

  const take = () =>
    db.query(
      `insert into ${table} (workspace, process, host, agent, expires)
       values ($1, $2, $3, $4, now() + $5::float8 * interval '1 second')
       on conflict (workspace, process) do update set expires = excluded.expires`,
      [workspace, own, hostOf(own), agent, seconds],
    );

  async function takeFirst(): Promise<void> {
    await take();
    await db.query(`delete from ${table} where workspace = $1 and expires < now() - ${MAX_AGE}`, [
      workspace,
    ]);
    // Last, because all of this is done again if it fails.
    renewing = setInterval(
      () => {
        if (!ended) take().catch(() => {});
      },
      (seconds * 1000) / 3,
    ).unref();
  }

  const refreshNow = coalesce(async () => {
    const begun = performance.now();
    if (begun - refreshedAt < FRESH_MS) return;
    const rows = await db.query<{ process: string; alive: boolean }>(
      `select process, expires > now() as alive from ${table} where workspace = $1`,
      [workspace],
    );
    alive = new Map(rows.map((row) => [row.process, row.alive]));
    refreshedAt = begun;
  });

  function livenessOf(process: string): Liveness {
    const here = system.livenessOf(process);
    if (process === own || here === 'gone') return here;
    const known = alive.get(process);
    if (known !== undefined) return known ? 'alive' : 'gone';
    return here === 'alive' ? 'alive' : livenessOfMissed(process);
  }

  /** It may have taken its lease after the query, so it counts as gone only if the next lacks it, too. */
  function livenessOfMissed(process: string): Liveness {
    const since = missed.get(process);
    if (since !== undefined) return refreshedAt > since ? 'gone' : 'unknown';
    missed.set(process, performance.now());
    const [oldest] = missed.keys();
    if (missed.size > MAX_MISSED && oldest !== undefined) missed.delete(oldest);
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
    async refresh() {
      if (performance.now() - refreshedAt >= FRESH_MS) await refreshNow();
    },
    async list() {
      const rows = await db.query<Row>(
        `select host, process, agent, extract(epoch from expires - now())::float8 as left
         from ${table} where workspace = $1 and expires > now() order by host, process`,
        [workspace],
      );
      return rows.map(({ host, process, agent: name, left }) => ({
        host,
        process,
        agent: name,
        expiresInSeconds: Math.round(Number(left)),
      }));
    },
    async end() {
      if (ended) return;
      ended = true;
      clearInterval(renewing);
      if (taking === null) return;
      await db
        .queryOnce(
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
