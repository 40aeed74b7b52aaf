// The tables and their migrations: numbered, forward only, under an advisory lock, so that of
// several servers that start together one migrates and the others wait. A database migrated by a
// newer program is refused, and so is a schema with tables that are not ours.
//
//   event      the truth. `line` is the exact text of a file's line, which is hashed and read;
//              type, at, prev, hash and data are copies for people who use SQL
//   stream     the last event of each stream, written by the statement that appends. `tx` is the
//              transaction that wrote it, by which a process queries only what has changed
//   workspace  the key of each workspace
//   lease      which processes are alive, and until when, by the database's clock

import { type Refused, refusedWith } from '../../core/refusal.ts';
import { STORE_UNAVAILABLE } from './unavailable.ts';

/** Each is executed once, all pending ones in one transaction. `S` stands for the schema. */
const MIGRATIONS: readonly string[] = [
  `create table S.workspace (
     name text collate "C" primary key,
     key bytea not null,
     at timestamptz not null default now()
   );
   create table S.event (
     workspace text collate "C" not null,
     stream text collate "C" not null,
     seq bigint not null check (seq > 0),
     line text not null,
     type text not null,
     at text not null,
     prev text not null,
     hash text not null,
     data json not null,
     primary key (workspace, stream, seq)
   );
   create table S.stream (
     workspace text collate "C" not null,
     name text collate "C" not null,
     seq bigint not null,
     hash text not null,
     tx xid8 not null,
     primary key (workspace, name)
   );
   create index stream_changed on S.stream (workspace, tx);
   create table S.lease (
     workspace text collate "C" not null,
     process text collate "C" not null,
     host text not null,
     agent text,
     expires timestamptz not null,
     primary key (workspace, process)
   );`,
];

export const NEWEST = MIGRATIONS.length;
export const OUR_TABLES = ['workspace', 'event', 'stream', 'lease'];
/** `xid8` needs PostgreSQL 13. */
const OLDEST_SERVER = 130000;

export type Query = (
  text: string,
  values?: readonly (string | number)[],
) => Promise<Record<string, unknown>[]>;

/** The newest migration in the database; 0 if there is none. Refuses a schema that is not ours. */
export async function migrationIn(query: Query, schema: string): Promise<number> {
  const [server] = await query(
    `select current_setting('server_version_num')::int as number,
            current_setting('server_version') as version`,
  );
  if (Number(server?.number) < OLDEST_SERVER) {
    throw unusable(`PostgreSQL ${server?.version} is too old, 13 or newer is needed`);
  }
  const columns = await query(
    `select table_name as table, column_name as column from information_schema.columns
     where table_schema = $1`,
    [schema],
  );
  const ofMigration = columns.filter(({ table }) => table === 'migration');
  const isOurs = ['version', 'at'].every((name) =>
    ofMigration.some((each) => each.column === name),
  );
  if (!isOurs) {
    const foreign = columns.find(({ table }) => isReserved(String(table)));
    if (foreign === undefined) return 0;
    throw unusable(
      `the schema '${schema}' has a table '${foreign.table}' that is not deepwork's; set \`store_schema\` to another name`,
    );
  }
  const [found] = await query(
    `select coalesce(max(version), 0)::int as version from "${schema}".migration`,
  );
  const version = Number(found?.version);
  if (version > NEWEST) {
    throw unusable(
      `its schema '${schema}' has migration ${version}, and this deepwork knows only ${NEWEST}: a newer deepwork has migrated it; update this one`,
    );
  }
  return version;
}

/** To be called in a transaction. Returns the migration that was there before. */
export async function migrateTo(query: Query, schema: string): Promise<number> {
  await query('set local statement_timeout = 0');
  await query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`deepwork ${schema}`]);
  const before = await migrationIn(query, schema);
  if (before === NEWEST) return before;
  if (before === 0) {
    const [there] = await query('select 1 from pg_namespace where nspname = $1', [schema]);
    if (there === undefined) await query(`create schema "${schema}"`);
    await query(
      `create table "${schema}".migration (version int primary key, at timestamptz not null default now())`,
    );
  }
  for (const [index, text] of MIGRATIONS.entries()) {
    if (index < before) continue;
    for (const statement of text.replaceAll('S.', `"${schema}".`).split(';')) {
      if (statement.trim() !== '') await query(statement);
    }
    await query(`insert into "${schema}".migration (version) values ($1)`, [index + 1]);
  }
  return before;
}

/** A role without rights to create tables. */
export function cannotMigrate(schema: string, version: number, why: string): Refused {
  const state = version === 0 ? 'does not exist yet' : `has migration ${version} of ${NEWEST}`;
  return unusable(
    `its schema '${schema}' ${state}, and this role may not change it (${why}); run \`deepwork store migrate\` with a role that may`,
  );
}

export function unusable(why: string): Refused {
  return refusedWith(
    STORE_UNAVAILABLE,
    `The store cannot be used: ${why}. Nothing was accepted`,
    'tell your user, and call again once it is corrected; waiting does not help.',
  );
}

export function checkSchemaName(schema: string): void {
  if (/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) return;
  throw unusable(`'${schema.slice(0, 80)}' is not a valid schema name: use a-z, 0-9 and _`);
}

function isReserved(table: string): boolean {
  return table === 'migration' || OUR_TABLES.includes(table);
}
