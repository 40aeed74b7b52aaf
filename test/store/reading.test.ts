// What people read of a journal in PostgreSQL: reading creates nothing, neither in the project nor
// in the database, and says what is only in files.

import { readdirSync } from 'node:fs';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { expectSchema } from '../board/support.ts';
import { command } from '../support/command.ts';
import { connectToProcess } from '../support/connect.ts';
import { examine } from '../support/doctor.ts';
import { findPostgres, freshDatabase } from '../support/postgres.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { START, storeEnv } from '../support/shared-project.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';

await findPostgres();

const READING = [
  ['store', 'status'],
  ['status'],
  ['history'],
  ['verify'],
  ['prune', '--dry-run'],
  ['doctor'],
  [],
];

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

test('commands that only read create nothing in the project or in the database', async () => {
  verifies('STORE-8');
  const project = unnamedProject();
  const cwd = project.root;
  const url = await freshDatabase();
  const sql = admin(url);
  const env = storeEnv(url);
  const files = () => readdirSync(project.path('.deepwork'), { recursive: true }).sort();
  const before = files();
  const readAll = async () => {
    for (const args of READING) {
      const { stderr } = await command(args, { cwd, env });
      expect(stderr, args.join(' ')).toBe('');
      expect(files(), args.join(' ')).toEqual(before);
    }
  };
  await readAll();
  expect(await sql`select 1 from pg_namespace where nspname = 'deepwork'`).toHaveLength(0);

  const status = await command(['store', 'status'], { cwd, env });
  expect(status.code).toBe(0);
  expect(status.stdout).toMatch(/^workspace +none yet: the first call creates its id/m);
  const data = await command(['store', 'status', '--json'], { cwd, env });
  expect(JSON.parse(data.stdout)).toMatchObject({
    store: 'postgres',
    workspace: null,
    migration: 0,
    streams: 0,
    events: 0,
    leases: [],
  });

  // The tables are there, because another project has them, but nothing of this one.
  const other = newProject({ '.deepwork/config.yml': 'workspace: other\n' });
  expect(await command(['store', 'migrate'], { cwd: other.root, env })).toMatchObject({ code: 0 });
  await readAll();
  for (const args of READING) await command(args, { cwd: other.root, env });
  expect(await sql`select name from deepwork.workspace`).toHaveLength(0);
}, 120_000);

const COPY = 'deepwork store copy --from files --to postgres';

test('people learn what is in files but not in the database, until it was copied', async () => {
  verifies('STORE-7');
  const project = unnamedProject();
  const cwd = project.root;
  const inFiles = await connectToProcess(cwd, { closeAfterTest: false });
  const { session_id: id } = (await inFiles.ok('start_workflow', START)).begin_step;
  await inFiles.close();
  const env = storeEnv(await freshDatabase());
  const files = () => readdirSync(project.path('.deepwork'), { recursive: true }).sort();
  const before = files();
  const read = async (...args: string[]) => {
    const { stdout, stderr } = await command(args, { cwd, env });
    return (stdout + stderr).replace(/\s+/g, ' ');
  };
  const missing = `Recorded in .deepwork/journal but not in the database, so not visible here: session/${id}.`;
  const said = `${missing} Run: ${COPY}`;
  const data = async (...args: string[]) => {
    const { stdout } = await command([...args, '--json'], { cwd, env });
    return JSON.parse(stdout) as { readonly warnings: readonly string[] };
  };
  const shown: readonly string[][] = [['status'], ['history'], [], ['verify'], ['store', 'status']];

  for (const args of shown) expect(await read(...args), args.join(' ')).toContain(said);
  for (const args of shown.filter(({ length }) => length > 0)) {
    const { warnings } = await data(...args);
    expect(warnings, args.join(' ')).toEqual([`${missing}\nRun: ${COPY}`]);
  }
  expectSchema('status.schema.json', await data('status'));
  expectSchema('recent.schema.json', await data('history'));
  expect(await read('history', id)).toContain(`There is no run '${id}'. ${said} Next: `);
  const home = tempFolder();
  expect((await examine(cwd, home, env)).check('store')).toMatchObject({
    state: 'warning',
    detail: expect.stringContaining(missing.slice(0, -1)),
    fix: COPY,
  });
  expect(files()).toEqual(before);
  expect(await read('run', '--resume')).toContain(
    `There is no unfinished run here. ${missing} Next: run \`${COPY}\``,
  );

  expect(await command(COPY.split(' ').slice(1), { cwd, env })).toMatchObject({ code: 0 });
  for (const args of [...shown, ['run', '--resume']]) {
    expect(await read(...args), args.join(' ')).not.toContain('Recorded in');
  }
  for (const args of shown.filter(({ length }) => length > 0)) {
    expect((await data(...args)).warnings).toEqual([]);
  }
  expect(await read('status')).toContain(id);
  expect((await examine(cwd, home, env)).check('store')).toMatchObject({ state: 'ok' });
}, 240_000);
