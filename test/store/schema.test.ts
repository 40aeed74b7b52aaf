// How the schema comes to be and changes, and what is refused.

import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { Refused } from '../../src/core/refusal.ts';
import { openPostgresStore } from '../../src/journal/postgres/open.ts';
import { NEWEST } from '../../src/journal/postgres/schema.ts';
import type { PostgresStore } from '../../src/journal/postgres/store.ts';
import { readAll, someEvent } from '../support/journal-conformance.ts';
import { passTime } from '../support/pass-time.ts';
import { findPostgres, freshDatabase } from '../support/postgres.ts';
import { verifies } from '../verifies.ts';

await findPostgres();

function open(url: string, schema = 'deepwork'): PostgresStore {
  const store = openPostgresStore({ url, schema, workspace: 'test' });
  onTestFinished(store.close);
  return store;
}

function admin(url: string): postgres.Sql {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  onTestFinished(() => sql.end());
  return sql;
}

async function refusal(call: Promise<unknown>): Promise<string> {
  // Waiting would not help; a call that waited would wait for ever, since no time passes.
  const goOn = passTime(0);
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  goOn();
  if (!(error instanceof Refused)) throw new Error(`not refused: ${error}`);
  expect(error.refusal.code).toBe('store_unavailable');
  return error.message;
}

test('servers that start together migrate once', async () => {
  verifies('STORE-8');
  const url = await freshDatabase();
  const stores = [0, 1, 2, 3].map(() => open(url));
  await Promise.all(
    stores.map(({ journal }, n) => journal.append(`session/${n}`, 0, someEvent({ n }))),
  );
  const versions = await admin(url)`select version from deepwork.migration order by version`;
  expect(versions.map(({ version }) => version)).toEqual(
    Array.from({ length: NEWEST }, (_, index) => index + 1),
  );
  const names = stores.map(({ journal }) => journal.names('session/'));
  expect(await Promise.all(names)).toEqual(Array(4).fill([0, 1, 2, 3].map((n) => `session/${n}`)));
  expect(await (stores[0] as PostgresStore).migrate()).toEqual({ from: NEWEST, to: NEWEST });
});

test('a database that a newer program has migrated is refused, and works again after a downgrade', async () => {
  verifies('STORE-8');
  const url = await freshDatabase();
  await open(url).journal.append('team', 0, someEvent());
  const sql = admin(url);
  await sql`insert into deepwork.migration (version) values (${NEWEST + 1})`;
  const newer = open(url);
  const said = await refusal(newer.journal.append('team', 1, someEvent()));
  expect(said).toContain(`has migration ${NEWEST + 1}, and this deepwork knows only ${NEWEST}`);
  expect(await newer.health()).toMatchObject({ ok: false, problem: said });
  await refusal(newer.migrate());
  await sql`delete from deepwork.migration where version > ${NEWEST}`;
  expect(await readAll(newer.journal, 'team')).toHaveLength(1);
});

test('a schema with tables of others is refused and left alone', async () => {
  verifies('STORE-8');
  const url = await freshDatabase();
  const sql = admin(url);
  await sql.unsafe('create schema foreign_one; create table foreign_one.event (id int)');
  const said = await refusal(open(url, 'foreign_one').journal.names(''));
  expect(said).toContain("has a table 'event' that is not deepwork's");
  await sql.unsafe('create schema foreign_two; create table foreign_two.migration (name text)');
  expect(await refusal(open(url, 'foreign_two').journal.names(''))).toContain("'migration'");
  // Beside other tables it may be.
  await sql.unsafe('create schema beside; create table beside.customers (id int)');
  expect(await open(url, 'beside').journal.names('')).toEqual([]);
  expect(await refusal(open(url, 'no"name').journal.names(''))).toContain(
    'not a valid schema name',
  );
});

test('a role without rights to create works after the migration, and says so before', async () => {
  verifies('STORE-8');
  const url = await freshDatabase();
  const sql = admin(url);
  const role = `worker_${Math.random().toString(36).slice(2)}`;
  await sql.unsafe(`create role ${role} login password 'a-password'`);
  onTestFinished(async () => {
    await sql.unsafe(`drop owned by ${role}; drop role ${role}`);
  });
  const own = new URL(url);
  own.username = role;
  own.password = 'a-password';
  const before = await refusal(open(own.href).journal.append('team', 0, someEvent()));
  expect(before).toMatch(/may not change it .* run `deepwork store migrate` with a role that may/);
  await open(url).migrate();
  const denied = await refusal(open(own.href).journal.append('team', 0, someEvent()));
  expect(denied).toMatch(/permission denied/);
  await sql.unsafe(`grant usage on schema deepwork to ${role};
    grant select, insert, update, delete on all tables in schema deepwork to ${role}`);
  const store = open(own.href);
  expect(await store.journal.append('team', 0, someEvent())).toHaveProperty('kind', 'appended');
});

test('what was altered in the database is reported, and not read as an event', async () => {
  verifies('STORE-8');
  const url = await freshDatabase();
  const { journal } = open(url);
  await journal.append('team', 0, someEvent({ n: 1 }));
  await journal.append('team', 1, someEvent({ n: 2 }));
  await admin(url)`update deepwork.event set line = replace(line, '"n":1', '"n":9')`;
  await expect(readAll(open(url).journal, 'team')).rejects.toThrow(/damaged at line 1/);
});
