// What people and agents read when the database cannot be used: what to check or to correct. No
// advice leads back to the command that was just run, and none says to wait where that is useless.

import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { command } from '../support/command.ts';
import { connect } from '../support/connect.ts';
import { findPostgres, freshDatabase } from '../support/postgres.ts';
import { START, sharedProject, storeEnv } from '../support/shared-project.ts';
import { verifies } from '../verifies.ts';

await findPostgres();

function changed(url: string, change: (url: URL) => void): string {
  const other = new URL(url);
  change(other);
  return other.href;
}

async function statusOf(url: string) {
  const { root } = sharedProject();
  const { code, stdout, stderr } = await command(['store', 'status'], {
    cwd: root,
    env: storeEnv(url),
  });
  return { code, text: (stdout + stderr).replace(/\s+/g, ' ') };
}

test('a database that cannot be reached: what to check is named', async () => {
  verifies('STORE-8');
  const nowhere = 'postgres://someone:secret@127.0.0.1:1/nothing';
  const { code, text } = await statusOf(nowhere);
  expect(code).toBe(1);
  expect(text).toContain('connection refused');
  expect(text).toContain(
    'the database is running, that its address is right, and that the network',
  );
  expect(text).not.toContain('store status');
  const { root } = sharedProject();
  const checked = await command(['doctor'], { cwd: root, env: storeEnv(nowhere) });
  expect(checked.stdout).toContain('connection refused');
  expect(checked.stdout.replace(/\s+/g, ' ')).not.toContain('your user');
});

test('what waiting cannot fix: what to correct is named, to people and agents', async () => {
  verifies('STORE-8');
  const url = await freshDatabase();
  const wrong: readonly (readonly [string, string])[] = [
    [changed(url, (to) => (to.password = 'not-this-one')), 'correct the user and password'],
    [changed(url, (to) => (to.username = 'no_such_role')), 'correct the user and password'],
    [changed(url, (to) => (to.pathname = '/no_such_database')), 'create the database, or correct'],
  ];
  for (const [address, correction] of wrong) {
    const { code, text } = await statusOf(address);
    expect(code).toBe(1);
    expect(text).toContain('nothing was accepted');
    expect(text).toContain(correction);
    expect(text).toContain('DEEPWORK_DATABASE_URL');
    expect(text).not.toMatch(/in a moment|store status|your user/);
    const agent = await connect(sharedProject().root, { env: storeEnv(address) });
    const said = JSON.stringify(await agent.call('start_workflow', START));
    expect(said).toContain(`have your user ${correction}`);
    expect(said).not.toContain('in a moment');
    await agent.close();
  }
}, 120_000);

test('on a fresh database, status says who creates the tables', async () => {
  verifies('STORE-8');
  const url = await freshDatabase();
  const owner = await statusOf(url);
  expect(owner).toMatchObject({ code: 0 });
  expect(owner.text).toContain(
    'schema deepwork, no tables yet: the next call creates the tables, or deepwork store migrate',
  );
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  onTestFinished(() => sql.end());
  const role = `reader_${Math.random().toString(36).slice(2)}`;
  await sql.unsafe(`create role ${role} login password 'a-password'`);
  onTestFinished(async () => {
    await sql.unsafe(`drop role ${role}`);
  });
  const reader = await statusOf(
    changed(url, (to) => Object.assign(to, { username: role, password: 'a-password' })),
  );
  expect(reader.text).toContain(
    'no tables yet, and this role may not create the tables: run deepwork store migrate with a role that may',
  );
  // Nothing was created by looking.
  expect((await statusOf(url)).text).toContain('no tables yet');
});
