// How often a call asks the database. Counted in the server's log; one step of several counts, since
// on a busy machine a call may take so long that it asks once more.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../support/connect.ts';
import { findPostgres, ownPostgres } from '../support/postgres.ts';
import { newProject, writeJob } from '../support/project.ts';
import { storeEnv } from '../support/shared-project.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';

await findPostgres();

const STEPS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

test('a finished_step waits for one look and one append, and looks once more afterwards', async () => {
  verifies('STORE-2');
  const server = await ownPostgres();
  const project = newProject({ '.deepwork/config.yml': 'git:\n  branch: off\n' });
  const steps = Object.fromEntries(STEPS.map((id) => [id, { outputs: { report: 'file' } }]));
  writeJob(project, 'demo', steps, { main: STEPS });
  project.write('report.md', 'Done\n');
  const sql = postgres(server.url(), { max: 1 });
  onTestFinished(() => sql.end());
  await sql`alter system set log_statement = 'all'`;
  await sql`select pg_reload_conf()`;
  const log = () => readFileSync(path.join(server.folder, 'log'), 'utf8');
  await until(async () => {
    await sql`select 'is logged' as mark`;
    return log().includes('is logged');
  });

  const agent = await connect(project.root, { env: storeEnv(server.url()) });
  await agent.ok('start_workflow', { goal: 'Go', job_name: 'demo', workflow_name: 'main' });
  const counts: { readonly looks: number; readonly others: number }[] = [];
  const measure = async (tool: string, args = {}) => {
    const before = log().length;
    await agent.ok(tool, args);
    const [, ...statements] = log()
      .slice(before)
      .split(/LOG: {2}(?:execute|statement)/);
    const looks = statements.filter((each) => each.includes('pg_snapshot_xmin')).length;
    // Who is at work is asked at the same time, at most twice a second.
    const others = statements.filter((each) => !each.includes('.lease')).length - looks;
    counts.push({ looks, others });
  };
  for (const _ of STEPS) await measure('get_active_workflow');
  expect(counts).toContainEqual({ looks: 1, others: 0 });
  counts.length = 0;
  for (const _ of STEPS) await measure('finished_step', { outputs: { report: 'report.md' } });
  // The second look may be part of the next count.
  expect(counts.map(({ looks }) => looks).sort()[0]).toBeLessThanOrEqual(2);
  expect(counts.every(({ others }) => others === 1)).toBe(true);
});
