// `deepwork history` without an id: what happened lately in all runs.

import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Recent } from '../../src/board/recent.ts';
import { connect } from '../support/connect.ts';
import { verifies } from '../verifies.ts';
import { commandIn, expectSchema, newDemo, REPORT, SHORT, start, textOf } from './support.ts';

const SHIFT = fileURLToPath(new URL('../support/shift-clock.cjs', import.meta.url));

test('what happened since the chosen time is listed by run, newest first', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const env = { NODE_OPTIONS: `--require ${SHIFT}`, DEEPWORK_TEST_CLOCK_HOURS: '-50' };
  const before = await connect(project.root, { args: ['--agent', 'writer'], env });
  const old = await start(before, SHORT);
  await before.ok('finished_step', REPORT);
  const left = await start(before);
  await before.close();
  const now = await connect(project.root, { args: ['--agent', 'reader'] });
  const fresh = await start(now, SHORT);
  await now.ok('finished_step', REPORT);
  const gone = await start(now);
  await commandIn(project, 'abort', gone, '--reason', 'Too late for it', '--by', 'Ada');

  const recentOf = async (...more: string[]) => {
    const recent = JSON.parse(await textOf(project, 'history', '--json', ...more)) as Recent;
    expectSchema('recent.schema.json', recent);
    return { ...recent, ids: recent.runs.map(({ run }) => run.session_id) };
  };
  const recent = await recentOf();
  expect(recent.ids).toEqual([gone, fresh]);
  expect(recent.counts).toMatchObject({ started: 2, completed: 1, aborted: 1 });
  expect(recent.runs[0]?.events.at(-1)).toMatchObject({ by: 'Ada', why: 'Too late for it' });
  expect(recent.unmoved.map(({ session_id }) => session_id)).toEqual([left]);
  expect((await recentOf('--since', '3d')).ids).toEqual([gone, fresh, left, old]);
  expect((await recentOf('--since', '3d', '--until', '1d')).ids).toEqual([left, old]);
});

test.for([
  '--since soon',
  '--since 2026-02-30',
  '--since 2999-01-01',
  '--since today --until yesterday',
  '--follow',
  'yesterday',
  'last --since 2d',
])('history %s is a wrong command line', async (typed) => {
  verifies('BOARD-2');
  const ran = await commandIn(newDemo(), 'history', ...typed.split(' '));
  expect(ran).toMatchObject({ code: 2, stdout: '' });
});
