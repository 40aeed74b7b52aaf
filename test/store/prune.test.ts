// deepwork prune with the journal in PostgreSQL: what has ended goes into an archive of this
// checkout with the lines that it had, and out of the database only then.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import type { Pruned } from '../../src/sessions/prune.ts';
import { command } from '../support/command.ts';
import { connect } from '../support/connect.ts';
import { findPostgres, freshDatabase } from '../support/postgres.ts';
import type { Project } from '../support/project.ts';
import { START, sharedProject, storeEnv } from '../support/shared-project.ts';
import { verifies } from '../verifies.ts';

await findPostgres();

const ARCHIVE = '.deepwork/archive';

async function workspace() {
  const url = await freshDatabase();
  const env = storeEnv(url);
  const project = sharedProject();
  const sql = postgres(url, { max: 1 });
  onTestFinished(() => sql.end());
  const run = (...args: string[]) => command(args, { cwd: project.root, env });
  const prune = async (...more: string[]): Promise<Pruned> => {
    const ran = await run('prune', '--older-than', '0m', '--json', ...more);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    return JSON.parse(ran.stdout);
  };
  const streams = async () =>
    (await sql`select name from deepwork.stream where name like 'session/%'`).map(
      ({ name }) => name,
    );
  const linesOf = async (id: string) => {
    const rows = await sql`
      select line from deepwork.event where stream = ${`session/${id}`} order by seq`;
    return rows.map(({ line }) => `\t${line}\n`).join('');
  };
  return { env, project, sql, run, prune, streams, linesOf };
}

/** One that has ended, and one that has not. */
async function twoRuns(project: Project, env: Record<string, string>): Promise<string[]> {
  const agent = await connect(project.root, { env });
  const ids: string[] = [];
  for (const explanation of ['Not now', null]) {
    ids.push((await agent.ok('start_workflow', START)).begin_step.session_id);
    if (explanation !== null) await agent.ok('abort_workflow', { explanation });
  }
  await agent.close();
  return ids;
}

const archived = (project: Project) =>
  existsSync(project.path(ARCHIVE))
    ? readdirSync(project.path(ARCHIVE)).filter((name) => name.endsWith('.jsonl'))
    : [];

test('what has ended goes from the database into an archive, line by line', async () => {
  verifies('BOARD-7');
  const { env, project, run, prune, streams, linesOf } = await workspace();
  const [ended = '', open = ''] = await twoRuns(project, env);
  const lines = await linesOf(ended);
  expect(lines).not.toBe('');
  const planned = await prune('--dry-run');
  expect(planned).toMatchObject({ dry_run: true, archives: [], untouched: 1 });
  expect(await linesOf(ended)).toBe(lines);

  const done = await prune();
  expect(done.sessions.map(({ session_id }) => session_id)).toEqual([ended]);
  const [name = ''] = archived(project);
  expect(done.archives).toEqual([`${ARCHIVE}/${name}`]);
  expect(readFileSync(project.path(`${ARCHIVE}/${name}`), 'utf8')).toContain(lines);
  expect(await streams()).toEqual([`session/${open}`]);
  expect(await linesOf(ended)).toBe('');

  // The archive is proved with the journal, and a changed byte in it is found.
  const verified = await run('verify');
  expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining('1 archive') });
  const file = project.path(`${ARCHIVE}/${name}`);
  writeFileSync(file, readFileSync(file, 'utf8').replace('Not now', 'Not yet'));
  expect(await run('verify')).toMatchObject({ code: 1 });

  const agent = await connect(project.root, { env });
  expect(await agent.ok('get_active_workflow')).toMatchObject({ session_id: open });
}, 90_000);

test('killed after the archive was written, it finishes the work without a second copy', async () => {
  verifies('BOARD-7');
  const { env, project, sql, run, prune, streams } = await workspace();
  const [ended = ''] = await twoRuns(project, env);
  // No one may delete: as far as the archive it gets, and nothing is lost.
  await sql`create function deepwork.no() returns trigger language plpgsql
    as $$ begin raise exception 'not allowed here'; end $$`;
  await sql`create trigger no before delete on deepwork.event execute function deepwork.no()`;
  const failed = await run('prune', '--older-than', '0m');
  expect(failed.code).not.toBe(0);
  expect(failed.stderr).toContain('not allowed here');
  expect(await streams()).toContain(`session/${ended}`);
  expect(archived(project)).toHaveLength(1);
  expect(await run('verify')).toMatchObject({ code: 0 });

  await sql`drop trigger no on deepwork.event`;
  expect(await prune()).toMatchObject({ archives: [], sessions: [{ session_id: ended }] });
  expect(await streams()).not.toContain(`session/${ended}`);
  expect(archived(project)).toHaveLength(1);
  expect(await run('verify')).toMatchObject({ code: 0 });
}, 90_000);
