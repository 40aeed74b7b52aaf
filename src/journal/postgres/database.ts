// The database as the parts of the store ask it: through a pool that is replaced when its
// connections turn out to be dead, after the schema was checked once, and with the patience of
// the call (`patience.ts`). What cannot get better by waiting fails at once.

import { setTimeout as sleep } from 'node:timers/promises';
import { Refused } from '../../core/refusal.ts';
import { shownAddress } from './address.ts';
import { faultOf } from './fault.ts';
import { patience } from './patience.ts';
import { openPool, type Pool, type Run, type Value } from './pool.ts';
import {
  cannotMigrate,
  checkSchemaName,
  migrateTo,
  migrationIn,
  NEWEST,
  unusable,
} from './schema.ts';
import { outcomeUnknown, storeUnavailable } from './unavailable.ts';

const CONNECTIONS = 4;
const MIGRATING_MS = 60_000;
const NOT_ALLOWED = '42501';
/** The tables are gone: the schema is checked again. */
const NO_TABLE = new Set(['42P01', '3F000']);

export interface Attempts {
  /**
   * After a failed attempt: pauses, if the call may still wait; else throws what its caller is to
   * learn. `maybeDone`: an attempt may have had its effect.
   */
  failed(error: unknown, maybeDone?: boolean): Promise<void>;
}

export interface Database {
  readonly url: string;
  /** As people may see it. */
  readonly address: string;
  /** Quoted, with its dot: `"deepwork".` */
  readonly schema: string;
  /** Asks, and asks again while the database is away. For what may be done twice. */
  ask<Row>(text: string, values: readonly Value[]): Promise<Row[]>;
  /** Asks once. Throws what the driver throws, or what the schema check refuses. */
  askOnce<Row>(text: string, values: readonly Value[], deadlineMs?: number): Promise<Row[]>;
  /** Asks once, whatever the schema is. */
  look<Row>(text: string, values: readonly Value[]): Promise<Row[]>;
  /** In one transaction, once. Throws what its caller is to learn. */
  transaction(work: (ask: Run) => Promise<void>, deadlineMs: number): Promise<void>;
  /** For what is asked once after the other until it succeeds. */
  attempts(): Attempts;
  /** Brings the schema up to date. */
  migrate(): Promise<number>;
  /** Without waiting: whether the database answers, and what its schema is. */
  probe(): Promise<void>;
  migrationNow(): Promise<number>;
  /** A number that changes when connections were given up, so that what was known may be old. */
  readonly generation: number;
  close(): Promise<void>;
}

export function openDatabase(url: string, schemaName: string): Database {
  const address = shownAddress(url);
  let pool: Promise<Pool> | null = null;
  let ready: Promise<void> | null = null;
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

  function giveUp(): void {
    const old = pool;
    pool = null;
    ready = null;
    generation += 1;
    old?.then((each) => each.destroy()).catch(() => {});
  }

  /** Once for each set of connections: another program may have migrated meanwhile. */
  function whenReady(): Promise<void> {
    const mine = ready ?? prepare();
    ready = mine;
    mine.catch(() => {
      if (ready === mine) ready = null;
    });
    return mine;
  }

  async function prepare(): Promise<void> {
    if ((await migrationNow()) < NEWEST) await migrate();
  }

  async function migrationNow(): Promise<number> {
    const { run } = await currentPool();
    return migrationIn((text, values = []) => run(text, values), schemaName);
  }

  async function migrate(): Promise<number> {
    const now = await currentPool();
    try {
      return await now.transaction((ask) => migrateTo(ask, schemaName), MIGRATING_MS);
    } catch (error) {
      if (error instanceof Refused) throw error;
      const fault = faultOf(error, url);
      if (fault.code !== NOT_ALLOWED) throw error;
      throw cannotMigrate(schemaName, await migrationNow(), fault.why);
    }
  }

  async function askOnce<Row>(
    text: string,
    values: readonly Value[],
    deadlineMs?: number,
  ): Promise<Row[]> {
    const used = generation;
    try {
      await whenReady();
      return await (await currentPool()).run<Row>(text, values, deadlineMs);
    } catch (error) {
      if (!(error instanceof Refused)) {
        const { kind, code } = faultOf(error, url);
        if (NO_TABLE.has(code)) ready = null;
        // Others may have given it up already.
        if (kind === 'lost' && used === generation) giveUp();
      }
      throw error;
    }
  }

  function attempts(): Attempts {
    const mine = patience();
    let begun = performance.now();
    return {
      async failed(error, maybeDone = false) {
        if (error instanceof Refused && !maybeDone) throw error;
        const { kind, why } = faultOf(error, url);
        const fail = () =>
          maybeDone || mine.hasRecorded
            ? outcomeUnknown(address, why)
            : storeUnavailable(address, why);
        if (kind === 'refused' || closed) throw fail();
        if (!(await mine.spend(begun))) throw fail();
        begun = performance.now();
      },
    };
  }

  return {
    url,
    address,
    schema: `"${schemaName}".`,
    askOnce,
    attempts,
    async ask<Row>(text: string, values: readonly Value[]) {
      for (const { failed } = attempts(); ; ) {
        try {
          return await askOnce<Row>(text, values);
        } catch (error) {
          await failed(error);
        }
      }
    },
    look: async <Row>(text: string, values: readonly Value[]) =>
      (await currentPool()).run<Row>(text, values),
    async transaction(work, deadlineMs) {
      try {
        await whenReady();
        await (await currentPool()).transaction(work, deadlineMs);
      } catch (error) {
        if (error instanceof Refused) throw error;
        throw storeUnavailable(address, faultOf(error, url).why);
      }
    },
    async migrate() {
      try {
        return await migrate();
      } catch (error) {
        if (error instanceof Refused) throw error;
        throw storeUnavailable(address, faultOf(error, url).why);
      }
    },
    migrationNow,
    async probe() {
      await askOnce('select 1', [], PROBE_MS);
    },
    get generation() {
      return generation;
    },
    async close() {
      closed = true;
      giveUp();
      // Sockets are destroyed after the next turn.
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
    // Not shown: it may hold a password.
  }
  if (protocol === 'postgres:' || protocol === 'postgresql:') return;
  throw unusable(
    'its address cannot be read; it looks like postgres://user:password@host:5432/database',
  );
}
