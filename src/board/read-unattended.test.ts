import { expect, test } from 'vitest';
import { openTestJournal, TEST_KEY } from '../../test/support/journal.ts';
import { teamRunStarted } from '../../test/support/team-run.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';
import type { RunEvent } from '../core/run/events.ts';
import { TEAM_RUNS } from '../core/run/streams.ts';
import { openJournalReader } from '../journal/reader.ts';
import { openUnattendedReader } from './read-unattended.ts';

const ID = '0a1b2c3d';
const at = '2026-01-05T09:00:00.000Z';

test('the run of a team that is looked up while all are listed has each turn once', async () => {
  const folder = tempFolder();
  const journal = openTestJournal(folder);
  await journal.append(TEAM_RUNS + ID, 0, teamRunStarted(ID, at));
  const runs = openUnattendedReader(openJournalReader(folder, { key: () => TEST_KEY }));
  await runs.ofTeam();

  const turn: RunEvent = { type: 'turn_started', at, data: { turn: 1, step_id: null, agent: 'a' } };
  await journal.append(TEAM_RUNS + ID, 1, turn);
  const [found, [listed]] = await Promise.all([runs.find(ID), runs.ofTeam()]);
  expect(found?.turns).toHaveLength(1);
  expect(listed?.turns).toHaveLength(1);
});
