// What people see of a journal in PostgreSQL: reading creates nothing, neither in the project nor in
// the database; what is only in files is named; `doctor` and `store status` say whether the database
// can be used by this role. No credential is ever shown.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import type { Recent } from '../../src/board/recent.ts';
import { expectSchema } from '../board/support.ts';
import { command } from '../support/command.ts';
import { connect, connectToProcess } from '../support/connect.ts';
import { examine, setUpClaude } from '../support/doctor.ts';
import { findPostgres, freshDatabase } from '../support/postgres.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { START, sharedProject, storeEnv } from '../support/shared-project.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';

await findPostgres();

type Env = Record<string, string>;
const PASSWORD = 'a-secret-password';
const LISTING = '.deepwork/tmp/listed.json';

/** A project without a remote and without a name in its config. */
function unnamedProject(): Project {
  const project = newProject({ '.deepwork/config.yml': 'git:\n  branch: off\n' });
  writeJob(project, 'demo', { a: { outputs: { report: 'file' } } }, { main: ['a'] });
  return project;
}

function admin(url: string): postgres.Sql {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  onTestFinished(() => sql.end());
  return sql;
}

async function json({ root }: Project, env: Env, ...words: string[]) {
  const { stdout, stderr } = await command([...words, '--json'], { cwd: root, env });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

test('commands that only read create nothing in the project or in the database', async () => {
  verifies('STORE-8');
  const project = unnamedProject();
  const cwd = project.root;
  const url = await freshDatabase();
  const sql = admin(url);
  const env = storeEnv(url);
  const files = () => readdirSync(project.path('.deepwork'), { recursive: true }).sort();
  const before = files();
  const reading = ['store status', 'status', 'history', 'verify', 'prune --dry-run', 'doctor', ''];
  const readAll = async () => {
    for (const words of reading) {
      const args = words.split(' ').filter(Boolean);
      expect((await command(args, { cwd, env })).stderr, words).toBe('');
      expect(files(), words).toEqual(before);
    }
  };
  await readAll();
  expect(await sql`select 1 from pg_namespace where nspname = 'deepwork'`).toHaveLength(0);
  const nothing = { store: 'postgres', workspace: null, migration: 0, streams: 0, leases: [] };
  expect(await json(project, env, 'store', 'status')).toMatchObject(nothing);

  // The tables are there, because another project has them, but nothing of this one.
  const other = newProject({ '.deepwork/config.yml': 'workspace: other\n' });
  expect(await command(['store', 'migrate'], { cwd: other.root, env })).toMatchObject({ code: 0 });
  await readAll();
  expect(await sql`select name from deepwork.workspace`).toHaveLength(0);
}, 120_000);

test('people learn what is in files but not in the database, until it was copied', async () => {
  verifies('STORE-7');
  const project = unnamedProject();
  const cwd = project.root;
  const inFiles = await connectToProcess(cwd, { closeAfterTest: false });
  const { session_id: id } = (await inFiles.ok('start_workflow', START)).begin_step;
  await inFiles.close();
  const env = storeEnv(await freshDatabase());
  const home = tempFolder();
  const copy = ['store', 'copy', '--from', 'files', '--to', 'postgres'];
  const shown = [['status'], ['history'], ['verify'], ['store', 'status']];
  const warned = async () => {
    const said = await Promise.all(shown.map((words) => json(project, env, ...words)));
    return said.map(({ warnings }) => warnings.join().includes(`session/${id}`));
  };
  expect(await warned()).toEqual([true, true, true, true]);
  expectSchema('status.schema.json', await json(project, env, 'status'));
  expectSchema('recent.schema.json', await json(project, env, 'history'));
  for (const words of [[], ['history', id], ['run', '--resume']]) {
    const { stdout, stderr } = await command(words, { cwd, env });
    expect(stdout + stderr, words.join(' ')).toContain(`session/${id}`);
  }
  const fix = `deepwork ${copy.join(' ')}`;
  expect((await examine(cwd, home, env)).check('store')).toMatchObject({ state: 'warning', fix });

  expect(await command(copy, { cwd, env })).toMatchObject({ code: 0 });
  expect(await warned()).toEqual([false, false, false, false]);
  expect((await examine(cwd, home, env)).check('store')).toMatchObject({ state: 'ok' });
}, 240_000);

test('status shows what happened anywhere since a server of this checkout listed all', async () => {
  verifies('STORE-2');
  const env = storeEnv(await freshDatabase());
  const [one, two] = [sharedProject(), sharedProject()];
  const here = await connect(one.root, { env, args: ['--agent', 'here'] });
  const elsewhere = await connect(two.root, { env, args: ['--agent', 'elsewhere'] });
  const start = async (agent: typeof here): Promise<string> =>
    (await agent.ok('start_workflow', START)).begin_step.session_id;
  const statusOf = async (of: Env) => {
    const { runs } = await json(one, of, 'status');
    return Object.fromEntries(
      runs.map((run: { session_id: string; status: string }) => [run.session_id, run.status]),
    );
  };
  const ended = await start(here);
  await here.ok('abort_workflow', { explanation: 'Not now' });
  const open = await start(here);
  const mark = JSON.parse(readFileSync(one.path(LISTING), 'utf8'));
  const later = await start(elsewhere);
  await elsewhere.ok('abort_workflow', { explanation: 'Not now' });
  const now = { [ended]: 'aborted', [open]: 'active', [later]: 'aborted' };
  expect(await statusOf(env)).toEqual(now);
  const recent: Recent = await json(one, env, 'history');
  expect(recent.counts).toMatchObject({ started: 3, aborted: 2, active: 1 });

  // A mark of a later time than the database has (an older copy was put back), and nonsense.
  for (const text of [
    JSON.stringify({ ...mark, mark: `${mark.mark}000` }),
    '{"open":["../../etc"]}',
  ]) {
    writeFileSync(one.path(LISTING), text);
    expect(await statusOf(env)).toEqual(now);
  }
  // Another database: nothing of the first one is shown.
  writeFileSync(one.path(LISTING), JSON.stringify({ ...mark, open: [open] }));
  expect(await statusOf(storeEnv(await freshDatabase()))).toEqual({});
});

test('doctor says what is there, and what is wrong with its fix', async () => {
  verifies('STORE-8');
  const project = sharedProject();
  const home = tempFolder();
  const owner = await freshDatabase();
  const sql = admin(owner);
  const role = `worker_${Math.random().toString(36).slice(2)}`;
  await sql.unsafe(`create role ${role} login password '${PASSWORD}'`);
  onTestFinished(async () => {
    await sql.unsafe(`drop owned by ${role}; drop role ${role}`);
  });
  const as = (password: string) => Object.assign(new URL(owner), { username: role, password }).href;
  const store = async (url: string) => {
    const found = await examine(project.root, home, storeEnv(url));
    const text = JSON.stringify(found.checks);
    for (const secret of [PASSWORD, new URL(owner).password]) expect(text).not.toContain(secret);
    const { state, detail, fix } = found.check('store');
    return [state, `${detail} ${fix}`];
  };
  const problem = (named: string) => ['problem', expect.stringContaining(named)];

  // Nothing there yet: the owner would create it with the first call, others cannot.
  expect(await store(owner)).toEqual(['ok', expect.any(String)]);
  expect(await store(as(PASSWORD))).toEqual(problem('deepwork store migrate'));
  const migrated = await command(['store', 'migrate'], { cwd: project.root, env: storeEnv(owner) });
  expect(migrated.code).toBe(0);
  const { host, pathname } = new URL(owner);
  const [state, detail] = await store(owner);
  expect(state).toBe('ok');
  for (const value of [`${host}${pathname}`, 'schema deepwork', "'shared'"]) {
    expect(detail).toContain(value);
  }
  await sql.unsafe(`grant usage on schema deepwork to ${role};
    grant select, insert, update on all tables in schema deepwork to ${role}`);
  expect(await store(as(PASSWORD))).toEqual(problem('delete on event'));
  await sql.unsafe(`grant delete on all tables in schema deepwork to ${role}`);
  expect(await store(as(PASSWORD))).toEqual(['ok', expect.any(String)]);
  // A lease that no one can have taken: by the database's clock it was set back.
  await sql`insert into deepwork.lease (workspace, process, host, expires)
    values ('shared', 'h:b:n/1/1', 'h', now() + interval '5 hours')`;
  expect(await store(owner)).toEqual(['warning', expect.stringContaining('clock')]);
  await sql`delete from deepwork.lease`;
  expect(await store(as('a-wrong-password'))).toEqual(problem('password authentication failed'));
  await sql`insert into deepwork.migration (version) values (99)`;
  expect(await store(owner)).toEqual(problem('99'));
  const nowhere = `postgres://someone:${PASSWORD}@127.0.0.1:1/nothing`;
  expect(await store(nowhere)).toEqual(problem('connection refused'));

  setUpClaude(project);
  const files = await examine(project.root, home);
  expect(files.check('store')).toMatchObject({ state: 'ok', fix: null });
}, 240_000);

test('repair rewrites a state file that cannot be read, and names altered rows', async () => {
  verifies('STORE-8');
  const url = await freshDatabase();
  const env = storeEnv(url);
  const project = sharedProject();
  const repair = (...more: string[]) => command(['repair', ...more], { cwd: project.root, env });
  const agent = await connect(project.root, { env, args: ['--agent', 'writer'] });
  await agent.call('send_message', { toAgent: 'coordinator', body: 'Hello' });
  await agent.close();
  expect(await repair()).toMatchObject({ code: 0 });
  project.write('.sgai/state.json', '{"messages": [');
  expect(await repair()).toMatchObject({ code: 0 });
  expect(JSON.parse(readFileSync(project.path('.sgai/state.json'), 'utf8'))).toBeTruthy();
  expect(await repair('--journal')).toMatchObject({ code: 2 });

  await admin(url)`update deepwork.event set line = replace(line, 'Hello', 'Hullo')`;
  const damaged = await repair();
  expect(damaged.code).toBe(1);
  expect(damaged.stderr).toMatch(/team\/log, event \d+/);
  expect(existsSync(project.path('.deepwork/journal/damaged'))).toBe(false);
}, 90_000);
