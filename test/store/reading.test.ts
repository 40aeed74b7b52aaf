// What people read of a journal in PostgreSQL: reading creates nothing, neither in the project nor
// in the database.

import { readdirSync } from 'node:fs';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { findPostgres, freshDatabase } from '../support/postgres.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { deepwork } from '../support/run-command.ts';
import { storeEnv } from '../support/shared-project.ts';
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
      const { stderr } = await deepwork(args, { cwd, env });
      expect(stderr, args.join(' ')).toBe('');
      expect(files(), args.join(' ')).toEqual(before);
    }
  };
  await readAll();
  expect(await sql`select 1 from pg_namespace where nspname = 'deepwork'`).toHaveLength(0);

  const status = await deepwork(['store', 'status'], { cwd, env });
  expect(status.code).toBe(0);
  expect(status.stdout).toMatch(/^workspace +none yet: the first call creates its id/m);
  const data = await deepwork(['store', 'status', '--json'], { cwd, env });
  expect(JSON.parse(data.stdout)).toMatchObject({
    ...{ store: 'postgres', workspace: null, migration: 0, streams: 0, events: 0, leases: [] },
  });

  // The tables are there, because another project has them, but nothing of this one.
  const other = newProject({ '.deepwork/config.yml': 'workspace: other\n' });
  expect(await deepwork(['store', 'migrate'], { cwd: other.root, env })).toMatchObject({ code: 0 });
  await readAll();
  for (const args of READING) await deepwork(args, { cwd: other.root, env });
  expect(await sql`select name from deepwork.workspace`).toHaveLength(0);
}, 120_000);
