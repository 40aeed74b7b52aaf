// deepwork doctor on a project whose journal is in PostgreSQL: whether the database can be used as
// it has to be, by this role, from here. No credential is ever shown.

import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { BINARY } from '../support/connect.ts';
import { examine, setUpClaude } from '../support/doctor.ts';
import { findPostgres, freshDatabase } from '../support/postgres.ts';
import { run } from '../support/run-command.ts';
import { sharedProject, storeEnv } from '../support/shared-project.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';

await findPostgres();

const PASSWORD = 'a-secret-password';

test('the check of the store says what is there, and names what is wrong with its fix', async () => {
  verifies('STORE-8');
  const project = sharedProject();
  const home = tempFolder();
  const owner = await freshDatabase();
  const sql = postgres(owner, { max: 1, onnotice: () => {} });
  onTestFinished(() => sql.end());
  const role = `worker_${Math.random().toString(36).slice(2)}`;
  await sql.unsafe(`create role ${role} login password '${PASSWORD}'`);
  onTestFinished(async () => {
    await sql.unsafe(`drop owned by ${role}; drop role ${role}`);
  });
  const as = (password: string) => {
    const url = new URL(owner);
    url.username = role;
    url.password = password;
    return url.href;
  };
  const store = async (url: string) => {
    const found = await examine(project.root, home, storeEnv(url));
    expect(JSON.stringify(found.checks)).not.toContain(PASSWORD);
    expect(JSON.stringify(found.checks)).not.toContain(new URL(owner).password);
    return found.check('store');
  };
  const { host, pathname } = new URL(owner);

  // Nothing there yet: the owner would create it with the first call, others cannot.
  expect(await store(owner)).toMatchObject({
    state: 'ok',
    detail: expect.stringMatching(/the first call creates its tables/),
  });
  const early = await store(as(PASSWORD));
  expect(early).toMatchObject({ state: 'problem' });
  expect(early.fix).toContain('deepwork store migrate');

  const env = { ...storeEnv(owner), HOME: home };
  const migrated = await run(process.execPath, [BINARY, 'store', 'migrate'], {
    cwd: project.root,
    env,
  });
  expect(migrated.code).toBe(0);
  const well = await store(owner);
  expect(well.state).toBe('ok');
  expect(well.detail).toContain(`${host}${pathname}`);
  expect(well.detail).toMatch(/PostgreSQL \d+/);
  expect(well.detail).toMatch(/schema deepwork, version \d+/);
  expect(well.detail).toContain("workspace 'shared'");

  await sql.unsafe(`grant usage on schema deepwork to ${role};
    grant select, insert, update on all tables in schema deepwork to ${role}`);
  const denied = await store(as(PASSWORD));
  expect(denied).toMatchObject({ state: 'problem' });
  expect(denied.detail).toContain('delete on event');
  expect(denied.fix).toContain('grant select, insert, update, delete on all tables in schema');
  await sql.unsafe(`grant delete on all tables in schema deepwork to ${role}`);
  expect(await store(as(PASSWORD))).toMatchObject({ state: 'ok' });

  // A lease that no one can have taken: by the database's clock it was set back.
  await sql`insert into deepwork.lease (workspace, process, host, expires)
    values ('shared', 'h:b:n/1/1', 'h', now() + interval '5 hours')`;
  const ahead = await store(owner);
  expect(ahead).toMatchObject({ state: 'warning' });
  expect(ahead.detail).toContain("the database's clock was set back");
  await sql`delete from deepwork.lease`;

  expect(await store(as('a-wrong-password'))).toMatchObject({
    state: 'problem',
    detail: expect.stringContaining('password authentication failed'),
  });
  await sql`insert into deepwork.migration (version) values (99)`;
  expect(await store(owner)).toMatchObject({
    state: 'problem',
    detail: expect.stringContaining('has migration 99'),
  });
}, 240_000);

test('without a database the store is files, and one that cannot be reached is a problem', async () => {
  verifies('STORE-8');
  const project = sharedProject();
  const home = tempFolder();
  setUpClaude(project);
  const files = await examine(project.root, home);
  expect(files.check('store')).toEqual({
    name: 'store',
    state: 'ok',
    fix: null,
    detail: 'files, in .deepwork/journal',
  });
  const nowhere = `postgres://someone:${PASSWORD}@127.0.0.1:1/nothing`;
  const { check, checks } = await examine(project.root, home, storeEnv(nowhere));
  expect(check('store')).toMatchObject({
    state: 'problem',
    detail: expect.stringContaining('connection refused'),
  });
  expect(JSON.stringify(checks)).not.toContain(PASSWORD);
}, 120_000);
