// Servers over HTTP and stdio on one project are killed at random moments, stopped and given
// wrong clocks, while agents work on jobs, write to each other and ask a person. The record of
// all calls must then show that message ids, inboxes, notes, todos and the steps of every
// session are as if the calls had come one after the other, and that nothing acknowledged was
// lost or done twice. In the second test the journal itself is cut, rolled back and deleted
// meanwhile: its content is lost, and work continues from what is left, without a restart.
//
//   DEEPWORK_CHAOS_KILLS=1000   how many kills (6); a quarter as many more in the second test
//   DEEPWORK_SEED=1234          draws the same numbers again

import { expect, test } from 'vitest';
import { chooseSeed } from '../support/random.ts';
import { checkEpoch, checkNotices } from './check.ts';
import { epochsOf } from './epochs.ts';
import { readJournal } from './journal-file.ts';
import { describeViolations, keepEvidence } from './report.ts';
import { run } from './run.ts';

const KILLS = Number.parseInt(process.env.DEEPWORK_CHAOS_KILLS ?? '', 10) || 6;
const MAX_MS_PER_KILL = 3000;

async function runAndCheck(kills: number, losesJournal: boolean): Promise<void> {
  const seed = chooseSeed();
  const { root, history, counts, milliseconds } = await run({
    seed,
    kills,
    losesJournal,
  });
  const checked = epochsOf(history, counts.losses, readJournal(root)).map(checkEpoch);
  const violations = [...checked.flat(), ...checkNotices(history, counts.losses)];
  const unanswered = history.calls.filter(({ end }) => end === null).length;
  console.log(
    [
      `DEEPWORK_SEED=${seed}: ${counts.kills} kills in ${(milliseconds / 1000).toFixed(1)} s`,
      `${counts.stops} stops`,
      `${counts.clockSteps} clock steps`,
      `${counts.losses.length} losses of journals`,
      `${history.calls.length} calls, ${unanswered} without an answer`,
    ].join(', '),
  );
  if (violations.length > 0) {
    const kept = keepEvidence(history, root, seed);
    const found = describeViolations(violations, history, root);
    throw new Error(`Kept in ${kept}:\n${found}`);
  }
  expect(counts.kills).toBeGreaterThanOrEqual(kills);
  if (losesJournal) expect(counts.losses.length).toBeGreaterThan(0);
}

const timeoutOf = (kills: number) => ({ timeout: 180_000 + kills * MAX_MS_PER_KILL });

test(
  'kills, stops and clock steps leave every answer as if calls had come one by one',
  timeoutOf(KILLS),
  () => runAndCheck(KILLS, false),
);

test(
  'after a journal is cut, rolled back or deleted, work continues from what is left',
  timeoutOf(KILLS),
  () => runAndCheck(Math.ceil(KILLS / 4), true),
);
