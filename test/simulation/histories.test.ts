// Twenty thousand random histories of the bare decider against the reference model:
// nesting, concurrent entries, aborts, going back, lost context, repeats, overlapping
// calls, edits during the run, owners that die.
//
//   DEEPWORK_HISTORIES=1000000   how many
//   DEEPWORK_SEED=1234           that one only
//
// Seeds are consecutive integers from a base that is printed.

import { expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { checkHistory, describeDifference, shorten } from './check-history.ts';
import { randomHistory } from './random-history.ts';

const BASE_SEED = 20_250_101;
const HISTORIES = 20_000;

const only = process.env.DEEPWORK_SEED;
const base = only === undefined ? BASE_SEED : Number(only);
const count = only === undefined ? Number(process.env.DEEPWORK_HISTORIES ?? HISTORIES) : 1;

test('random histories go as the reference says', { timeout: 3_600_000 }, async () => {
  verifies('JOBS-X.7', 'JOBS-X.10', 'JOBS-X.13', 'JOBS-X.14', 'JOBS-X.21');
  process.stdout.write(`simulation: ${count} histories from seed ${base}\n`);
  let calls = 0;
  for (let seed = base; seed < base + count; seed++) {
    const { history, prediction } = randomHistory(seed);
    calls += history.calls.length;
    if ((await checkHistory(history, prediction)) === null) continue;
    const shortest = await shorten(history, checkHistory);
    expect.fail(describeDifference(shortest, `DEEPWORK_SEED=${seed} npx vitest run test/simulation`));
  }
  expect(calls).toBeGreaterThanOrEqual(count * 5);
});
