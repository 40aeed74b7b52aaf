// Servers over HTTP and stdio on one project are killed at random and at chosen moments, stopped and
// given wrong clocks, while agents work on jobs, write to each other and ask a person. The record of
// all calls must then show that message ids, inboxes, notes, todos, questions and the steps of every
// session are as if the calls had come one after the other, and that nothing acknowledged was lost
// or done twice. Once more with a journal that is cut, rolled back and deleted meanwhile: its content
// is lost, and work continues from what is left, without a restart. And once more in PostgreSQL,
// which is killed, too.
//
//   DEEPWORK_KILLS=1000   how many kills in all
//   DEEPWORK_SEED=1234    draws the same numbers again

import { expect, test } from 'vitest';
import { findPostgres } from '../support/postgres.ts';
import { chooseSeed } from '../support/random.ts';
import { verifies } from '../verifies.ts';
import { checkEpoch, checkNotices } from './check.ts';
import { checkFiles } from './check-disk.ts';
import { epochsOf } from './epochs.ts';
import { describeViolations, keepEvidence } from './report.ts';
import { runStorm, type StormSetup } from './run.ts';

const KILLS = Number.parseInt(process.env.DEEPWORK_KILLS ?? '', 10) || 60;
const MAX_MS_PER_KILL = 3000;

async function endure(setup: Omit<StormSetup, 'seed'>): Promise<void> {
  const seed = chooseSeed();
  const { root, history, streams, counts, milliseconds } = await runStorm({ ...setup, seed });
  const violations = [
    ...epochsOf(history, counts.losses, streams).flatMap(checkEpoch),
    ...checkNotices(history, counts.losses),
    ...(setup.store === 'files' && !setup.losesJournal
      ? await checkFiles(root, streams, history)
      : []),
  ];
  const unanswered = history.calls.filter(({ end }) => end === null).length;
  console.log(
    [
      `DEEPWORK_SEED=${seed}: ${counts.kills} kills in ${(milliseconds / 1000).toFixed(1)} s`,
      `${counts.stops} stops`,
      `${counts.clockSteps} clock steps`,
      `${counts.losses.length} losses of journals`,
      `${counts.databaseKills} kills of the database`,
      `${history.calls.length} calls, ${unanswered} without an answer`,
      `${streams.sessions.size} sessions`,
    ].join(', '),
  );
  if (violations.length > 0) {
    const kept = keepEvidence(history, root, seed);
    throw new Error(`Kept in ${kept}:\n${describeViolations(violations, history, streams)}`);
  }
  expect(counts.kills).toBeGreaterThanOrEqual(setup.kills);
  if (setup.losesJournal) expect(counts.losses.length).toBeGreaterThan(0);
}

const share = (part: number) => Math.ceil(KILLS * part);
const timeoutOf = (kills: number) => ({ timeout: 180_000 + kills * MAX_MS_PER_KILL });

test(
  'kills, stops and clock steps lose nothing, repeat nothing and leave every answer right',
  timeoutOf(share(0.75)),
  async () => {
    verifies('JOBS-X.10', 'JOBS-X.18', 'JOBS-X.19', 'JOBS-X.22');
    await endure({ store: 'files', kills: share(0.75), losesJournal: false });
  },
);

test(
  'after a journal is cut, rolled back or deleted, work continues from what is left',
  timeoutOf(share(0.15)),
  () => endure({ store: 'files', kills: share(0.15), losesJournal: true }),
);

test(
  'in a database that is killed as its servers are, the same holds',
  timeoutOf(share(0.1)),
  async () => {
    verifies('STORE-3', 'STORE-4');
    await findPostgres();
    await endure({ store: 'postgres', kills: share(0.1), losesJournal: false });
  },
);
