// Queries for the parts of the store: through a pool that is replaced when its connections are
// dead, after the schema was checked once, and within the wait budget of the call
// (`wait-budget.ts`). Errors that waiting cannot fix fail at once.

import { setTimeout as sleep } from 'node:timers/promises';
import { Refused } from '../../core/refusal.ts';
import { shownAddress } from './address.ts';
import { faultOf } from './fault.ts';
import { openPool, type Pool, type RunQuery, type Value } from './pool.ts';
import {
  cannotMigrate,
  checkSchemaName,
  migrateTo,
  migrationIn,
  NEWEST,
  unusable,
} from './schema.ts';
import { outcomeUnknown, storeUnavailable } from './unavailable.ts';
import { waitBudget } from './wait-budget.ts';

const CONNECTIONS = 4;
const MIGRATING_MS = 60_000;
const NOT_ALLOWED = '42501';
/** Codes that mean that the tables are gone: the schema is checked again. */
const NO_TABLE = new Set(['42P01', '3F000']);

/**
 * Called after a failed attempt: pauses if the call may still wait, else throws the error for the
 * caller. `maybeDone`: an attempt may have been executed.
 */
export type AttemptFailed = (error: unknown, maybeDone?: boolean) => Promise<void>;

export interface Database {
  readonly url: string;
  /** For people, without secrets. */
  readonly address: string;
  /** Quoted, with its dot: `"deepwork".` */
  readonly schema: string;
  /** Repeats the query while the database is unavailable; so it must be repeatable. */
  query<Row>(text: string, values: readonly Value[]): Promise<Row[]>;
  /** Throws the driver's error, or the refusal of the schema check. */
  queryOnce<Row>(text: string, values: readonly Value[], deadlineMs?: number): Promise<Row[]>;
  /** Runs the query once, without checking the schema. */
  queryUnchecked<Row>(text: string, values: readonly Value[]): Promise<Row[]>;
  /** Runs the transaction once. Throws the error for the caller. */
  transaction(work: (query: RunQuery) => Promise<void>, deadlineMs: number): Promise<void>;
  /** For work that is repeated until it succeeds. */
  attempts(): AttemptFailed;
  /** Brings the schema up to date. */
  migrate(): Promise<number>;
  /** Throws if the database does not answer soon. */
  probe(): Promise<void>;
  migrationNow(): Promise<number>;
  /** The refusal for an error of a query that is not repeated. */
  refusalOf(error: unknown): Refused;
  /** Changes when connections were dropped, so that cached state may be outdated. */
  readonly generation: number;
  close(): Promise<void>;
}

/** `readOnly`: creates no tables; while there are none, queries return no rows. */
export function openDatabase(url: string, schemaName: string, readOnly = false): Database {
  const address = shownAddress(url);
  let pool: Promise<Pool> | null = null;
  let ready: Promise<boolean> | null = null;
  let generation = 0;
  let closed = false;

  function currentPool(): Promise<Pool> {
    pool ??= open();
    return pool;
  }

  async function open(): Promise<Pool> {
    checkSchemaName(schemaName);
    checkAddress(url);
    return openPool({ url, connections: CONNECTIONS });
  }

  function dropPool(): void {
    const old = pool;
    pool = null;
    ready = null;
    generation += 1;
    old?.then((each) => each.destroy()).catch(() => {});
  }

  /** Once per pool: another program may have migrated since. False if there are no tables. */
  function whenReady(): Promise<boolean> {
    const mine = ready ?? prepare();
    ready = mine;
    const checkAgain = () => {
      if (ready === mine) ready = null;
    };
    mine.then((isReady) => isReady || checkAgain(), checkAgain);
    return mine;
  }

  async function prepare(): Promise<boolean> {
    const migration = await migrationNow();
    if (readOnly) return migration > 0;
    if (migration < NEWEST) await migrate();
    return true;
  }

  async function migrationNow(): Promise<number> {
    const { run } = await currentPool();
    return migrationIn((text, values = []) => run(text, values), schemaName);
  }

  async function migrate(): Promise<number> {
    const now = await currentPool();
    try {
      return await now.transaction((query) => migrateTo(query, schemaName), MIGRATING_MS);
    } catch (error) {
      if (error instanceof Refused) throw error;
      const fault = faultOf(error, url);
      if (fault.code !== NOT_ALLOWED) throw error;
      throw cannotMigrate(schemaName, await migrationNow(), fault.why);
    }
  }

  async function queryOnce<Row>(
    text: string,
    values: readonly Value[],
    deadlineMs?: number,
  ): Promise<Row[]> {
    const used = generation;
    try {
      if (!(await whenReady())) return [];
      return await (await currentPool()).run<Row>(text, values, deadlineMs);
    } catch (error) {
      if (!(error instanceof Refused)) {
        const { kind, code } = faultOf(error, url);
        if (NO_TABLE.has(code)) ready = null;
        // Another query may have dropped it already.
        if (kind === 'lost' && used === generation) dropPool();
      }
      throw error;
    }
  }

  function refusalOf(error: unknown): Refused {
    return error instanceof Refused ? error : storeUnavailable(address, faultOf(error, url));
  }

  function attempts(): AttemptFailed {
    const mine = waitBudget();
    let begun = performance.now();
    return async (error, maybeDone = false) => {
      if (error instanceof Refused && !maybeDone) throw error;
      const fault = faultOf(error, url);
      const fail = () =>
        maybeDone || mine.hasRecorded
          ? outcomeUnknown(address, fault.why)
          : storeUnavailable(address, fault);
      if (fault.kind === 'refused' || closed) throw fail();
      if (!(await mine.spend(begun))) throw fail();
      begun = performance.now();
    };
  }

  return {
    url,
    address,
    schema: `"${schemaName}".`,
    queryOnce,
    attempts,
    async query<Row>(text: string, values: readonly Value[]) {
      for (const failed = attempts(); ; ) {
        try {
          return await queryOnce<Row>(text, values);
        } catch (error) {
          await failed(error);
        }
      }
    },
    queryUnchecked: async <Row>(text: string, values: readonly Value[]) =>
      (await currentPool()).run<Row>(text, values),
    async transaction(work, deadlineMs) {
      try {
        await whenReady();
        await (await currentPool()).transaction(work, deadlineMs);
      } catch (error) {
        throw refusalOf(error);
      }
    },
    migrate: () =>
      migrate().catch((error: unknown) => {
        throw refusalOf(error);
      }),
    refusalOf,
    migrationNow,
    async probe() {
      await queryOnce('select 1', [], PROBE_MS);
    },
    get generation() {
      return generation;
    },
    async close() {
      closed = true;
      dropPool();
      // Sockets are destroyed in the next turn of the event loop.
      await sleep(0);
    },
  };
}

const PROBE_MS = 1500;

function checkAddress(url: string): void {
  let protocol = '';
  try {
    ({ protocol } = new URL(url));
  } catch {
    // Not shown, because it may contain a password.
  }
  if (protocol === 'postgres:' || protocol === 'postgresql:') return;
  throw unusable(
    'its address cannot be read; it looks like postgres://user:password@host:5432/database',
  );
}
