// How many ended runs are listed, if workflows and teams have run in a project.

import { expect, test } from 'vitest';
import type { Board } from '../../src/board/run.ts';
import type { RunEvent } from '../../src/core/run/events.ts';
import { TEAM_RUNS } from '../../src/core/run/streams.ts';
import { openWorkspace } from '../../src/engine/workspace.ts';
import { teamRunStarted } from '../support/team-run.ts';
import { verifies } from '../verifies.ts';
import { commandIn, finishedRun, newRecords } from './records.ts';

const at = '2026-01-05T09:00:00.000Z';

const STOPPED: RunEvent = {
  type: 'run_stopped',
  at,
  data: { reason: 'complete', detail: 'Everything is done' },
};

test('of all runs that have ended, of workflows and of teams, the last ten are listed', async () => {
  verifies('BOARD-1');
  const project = newRecords();
  const finished = await finishedRun(project, { depth: 6 });
  const workspace = openWorkspace({ projectRoot: project.root });
  for (let number = 1; number <= 6; number++) {
    const run_id = `0000000${number}`;
    await workspace.journal.append(TEAM_RUNS + run_id, 0, teamRunStarted(run_id, at));
    await workspace.journal.append(TEAM_RUNS + run_id, 1, STOPPED);
  }
  await workspace.close();

  const status = async (...more: string[]) => {
    const { stdout } = await commandIn(project, 'status', '--json', ...more);
    return (JSON.parse(stdout) as Board).runs.map(({ session_id }) => session_id);
  };
  const listed = await status();
  expect(listed).toHaveLength(10);
  expect(listed).toEqual(expect.arrayContaining(finished));
  expect(await status('--all')).toHaveLength(12);
});
