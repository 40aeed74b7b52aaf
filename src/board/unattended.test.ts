// What the board says of the run of a team.

import { expect, test } from 'vitest';
import { openTestJournal, TEST_KEY } from '../../test/support/journal.ts';
import { teamRunStarted } from '../../test/support/team-run.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { verifies } from '../../test/verifies.ts';
import type { RunEvent } from '../core/run/events.ts';
import { evolveRun, type RunRecord } from '../core/run/record.ts';
import { TEAM_RUNS } from '../core/run/streams.ts';
import { openJournalReader } from '../journal/reader.ts';
import { describeTeamRun } from './describe-unattended.ts';
import { openUnattendedReader } from './read-unattended.ts';

const ID = '0a1b2c3d';
const at = (minutes: number) => new Date(Date.UTC(2026, 0, 5) + minutes * 60_000).toISOString();
const TURN: RunEvent = {
  type: 'turn_started',
  at: at(0),
  data: { turn: 1, step_id: null, agent: 'codex' },
};

test.each([
  ['alive', { state: 'working', unattended: { limit_until: at(300) } }, 30],
  ['gone', { state: 'orphaned', unattended: { limit_until: null } }, 1],
] as const)(
  'a run that is out of quota waits and spends the time while its process lives (%s)',
  (liveness, shown, spent) => {
    verifies('BOARD-1');
    const ended = { exit: 1, cost_usd: null, limit_until: at(300), advanced: false };
    const events: RunEvent[] = [
      teamRunStarted(ID, at(0), { max_minutes: 60 }),
      TURN,
      { type: 'turn_ended', at: at(1), data: { turn: 1, ...ended } },
    ];
    const run = events.reduce<RunRecord | null>(evolveRun, null) as RunRecord;
    const context = { now: at(30), livenessOf: () => liveness, questions: [] };
    expect(describeTeamRun(run, context)).toMatchObject({
      ...shown,
      budgets: { minutes: { spent } },
    });
  },
);

test('the run of a team that is looked up while all are listed has each turn once', async () => {
  const folder = tempFolder();
  const journal = openTestJournal(folder);
  await journal.append(TEAM_RUNS + ID, 0, teamRunStarted(ID, at(0)));
  const runs = openUnattendedReader(openJournalReader(folder, { key: () => TEST_KEY }));
  await runs.ofTeam();
  await journal.append(TEAM_RUNS + ID, 1, TURN);
  const [found, [listed]] = await Promise.all([runs.find(ID), runs.ofTeam()]);
  expect([found?.turns.length, listed?.turns.length]).toEqual([1, 1]);
});
