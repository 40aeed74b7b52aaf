// Servers over HTTP and stdio on one project are killed at random moments, stopped and put
// on wrong clocks, while agents work on jobs, write to each other and ask a person. From
// the record of all calls it is then shown that message ids, inboxes, notes, todos and the
// steps of every session are as if one call had come after the other, and nothing that was
// acknowledged is lost or was done twice.
//
//   DEEPWORK_CHAOS_KILLS=1000   how many kills (40)
//   DEEPWORK_SEED=1234          draws the same numbers again

import { expect, test } from 'vitest';
import { chooseSeed } from '../crash/random.ts';
import { checkRun } from './check.ts';
import { readJournal } from './journal-file.ts';
import { describeViolations, keepEvidence } from './report.ts';
import { run } from './run.ts';

const KILLS = Number.parseInt(process.env.DEEPWORK_CHAOS_KILLS ?? '', 10) || 40;
const MAX_MS_PER_KILL = 3000;

/** Whether a message, a note or a start that is sent again after a lost answer is known. */
const RESENDS_ARE_RECOGNISED = false;

test(`${KILLS} kills over jobs, team and HTTP: every answer is as if calls had come one by one`, {
  timeout: 60_000 + KILLS * MAX_MS_PER_KILL,
}, async () => {
  const seed = chooseSeed();
  const { root, history, counts, milliseconds } = await run({
    seed,
    kills: KILLS,
    resends: { start: RESENDS_ARE_RECOGNISED },
  });
  const { violations, duplicates } = checkRun(history, readJournal(root));
  const unanswered = history.calls.filter(({ end }) => end === null).length;
  console.log(
    [
      `DEEPWORK_SEED=${seed}: ${counts.kills} kills in ${(milliseconds / 1000).toFixed(1)} s`,
      `${counts.stops} stops`,
      `${counts.clockSteps} clock steps`,
      `${history.calls.length} calls, ${unanswered} without an answer`,
      `${duplicates} messages and notes stored again by a resend`,
    ].join(', '),
  );
  if (violations.length > 0) {
    const kept = keepEvidence(history, root, seed);
    const found = describeViolations(violations, history, root);
    throw new Error(`DEEPWORK_SEED=${seed}, kept in ${kept}:\n${found}`);
  }
  expect(counts.kills).toBeGreaterThanOrEqual(KILLS);
  if (RESENDS_ARE_RECOGNISED) expect(duplicates).toBe(0);
});
