// Diagnoses a database for `deepwork doctor`. It changes nothing, and does not wait for an
// unavailable database.

import type { Database } from './database.ts';
import { NEWEST, OUR_TABLES } from './schema.ts';

export interface Diagnosis {
  /** Without user, password and parameters. */
  readonly address: string;
  /** Of PostgreSQL, for example `15.4`. */
  readonly serverVersion: string;
  readonly schema: string;
  readonly workspace: string;
  /** The newest migration in the database, and the newest that this program knows. */
  readonly migration: number;
  readonly newestMigration: number;
  /** Whether this role could bring the schema up to date. */
  readonly mayMigrate: boolean;
  readonly isReadOnly: boolean;
  /** For example `insert on event`; empty if there are no tables yet. */
  readonly missingRights: readonly string[];
  /** Of this workspace's leases. */
  readonly longestLeaseSeconds: number;
  readonly clockAheadSeconds: number;
}

const RIGHTS = ['select', 'insert', 'update', 'delete'];

export async function diagnose(
  db: Database,
  schema: string,
  workspace: string,
): Promise<Diagnosis> {
  try {
    const migration = await db.migrationNow();
    const [server] = await db.queryUnchecked<Server>(
      `select current_setting('server_version') as version,
         current_setting('transaction_read_only') = 'on' as read_only,
         extract(epoch from clock_timestamp())::float8 as now,
         case when to_regnamespace($1) is null
           then has_database_privilege(current_database(), 'create')
           else has_schema_privilege(to_regnamespace($1)::oid, 'create') end as may_migrate`,
      [`"${schema}"`],
    );
    const missingRights = migration === 0 ? [] : await missingIn(db);
    const isReadable = migration > 0 && missingRights.length === 0;
    return {
      address: db.address,
      schema,
      workspace,
      migration,
      newestMigration: NEWEST,
      serverVersion: String(server?.version),
      mayMigrate: server?.may_migrate === true,
      isReadOnly: server?.read_only === true,
      missingRights,
      longestLeaseSeconds: isReadable ? await longestLease(db, workspace) : 0,
      clockAheadSeconds: Number(server?.now) - Date.now() / 1000,
    };
  } catch (error) {
    throw db.refusalOf(error);
  }
}

async function missingIn(db: Database): Promise<string[]> {
  const rows = await db.queryUnchecked<{ table: string; right: string }>(
    `select t as table, r as right
     from unnest(string_to_array($1, ' ')) as t, unnest(string_to_array($2, ' ')) as r
     where not has_schema_privilege(to_regnamespace($3)::oid, 'usage')
        or not has_table_privilege($4 || t, r)`,
    [OUR_TABLES.join(' '), RIGHTS.join(' '), db.schema.slice(0, -1), db.schema],
  );
  return rows.map(({ table, right }) => `${right} on ${table}`);
}

async function longestLease(db: Database, workspace: string): Promise<number> {
  const [row] = await db.queryUnchecked<{ left: number | null }>(
    `select extract(epoch from max(expires) - now())::float8 as left
     from ${db.schema}lease where workspace = $1`,
    [workspace],
  );
  return Number(row?.left ?? 0);
}

interface Server {
  readonly version: string;
  readonly read_only: boolean;
  readonly now: number;
  readonly may_migrate: boolean;
}
