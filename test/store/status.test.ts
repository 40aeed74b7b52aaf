// `deepwork status` on a shared journal. A server of this checkout leaves a mark of what it has
// listed; status asks for what changed since, on any machine, and lists nothing else.

import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Recent } from '../../src/board/recent.ts';
import { expectSchema } from '../board/support.ts';
import { command } from '../support/command.ts';
import { connect } from '../support/connect.ts';
import { findPostgres, freshDatabase } from '../support/postgres.ts';
import type { Project } from '../support/project.ts';
import { START, sharedProject, storeEnv } from '../support/shared-project.ts';
import { verifies } from '../verifies.ts';

await findPostgres();

const LISTING = '.deepwork/tmp/listed.json';

/** The state of each run by its session. */
async function statusOf(project: Project, env: Record<string, string>) {
  const { stdout, stderr } = await command(['status', '--json'], { cwd: project.root, env });
  expect(stderr).toBe('');
  const { runs } = JSON.parse(stdout) as {
    runs: readonly { readonly session_id: string; readonly status: string }[];
  };
  return Object.fromEntries(runs.map(({ session_id, status }) => [session_id, status]));
}

test('status shows what happened anywhere since a server of this checkout listed all', async () => {
  verifies('STORE-2');
  const env = storeEnv(await freshDatabase());
  const [one, two] = [sharedProject(), sharedProject()];
  const here = await connect(one.root, { env, args: ['--agent', 'here'] });
  const elsewhere = await connect(two.root, { env, args: ['--agent', 'elsewhere'] });
  const start = async (agent: typeof here): Promise<string> =>
    (await agent.ok('start_workflow', START)).begin_step.session_id;
  const ended = await start(here);
  await here.ok('abort_workflow', { explanation: 'Not now' });
  const open = await start(here);
  const mark = JSON.parse(readFileSync(one.path(LISTING), 'utf8'));
  expect(mark).toEqual({ mark: expect.stringMatching(/^[0-9a-f]{16}:\d+$/), open: [] });

  const later = await start(elsewhere);
  const expected = { [ended]: 'aborted', [open]: 'active', [later]: 'active' };
  expect(await statusOf(one, env)).toEqual(expected);
  await elsewhere.ok('abort_workflow', { explanation: 'Not now' });
  const now = { ...expected, [later]: 'aborted' };
  expect(await statusOf(one, env)).toEqual(now);

  // What happened lately is that of all machines, too.
  const looked = await command(['history', '--json'], { cwd: one.root, env });
  expect(looked).toMatchObject({ code: 0, stderr: '' });
  const recent = JSON.parse(looked.stdout) as Recent;
  expectSchema('recent.schema.json', recent);
  expect(recent.counts).toMatchObject({ started: 3, aborted: 2, active: 1 });
  expect(recent.runs.map(({ run }) => run.session_id)).toEqual([later, open, ended]);

  // A mark of a later time than the database has: an older copy was put back.
  writeFileSync(one.path(LISTING), JSON.stringify({ ...mark, mark: `${mark.mark}000` }));
  expect(await statusOf(one, env)).toEqual(now);
  writeFileSync(one.path(LISTING), '{"mark":"nonsense","open":["../../etc"]}');
  expect(await statusOf(one, env)).toEqual(now);
  // Another database: nothing of the first one is shown.
  writeFileSync(one.path(LISTING), JSON.stringify({ ...mark, open: [open] }));
  expect(await statusOf(one, storeEnv(await freshDatabase()))).toEqual({});
});
