// Random histories of a team, compared with the reference.
//
//   DEEPWORK_TEAM_LIVES=100000   how many
//   DEEPWORK_SEED=1234           that one only

import { expect, test } from 'vitest';
import { randomFrom } from '../support/random.ts';
import { verifies } from '../verifies.ts';
import { simulate, type Tally } from './simulation.ts';

const BASE_SEED = 20_260_101;
const only = process.env.DEEPWORK_SEED;
const base = only === undefined ? BASE_SEED : Number(only);
const lives = only === undefined ? Number(process.env.DEEPWORK_TEAM_LIVES ?? 250) : 1;

/** Plays the history of a seed, all of it or only this many moves. */
function failureOf(seed: number, moves: number | null, tally: Tally): Error | null {
  const chance = randomFrom(seed);
  const whole = 20 + chance.below(180);
  try {
    simulate(chance, moves ?? whole, tally);
    return null;
  } catch (error) {
    return error as Error;
  }
}

test('random histories of a team match the reference', { timeout: 3_600_000 }, () => {
  verifies('TEAM-20', 'TEAM-21', 'TEAM-22', 'TEAM-24', 'TEAM-26', 'TEAM-32', 'TEAM-33');
  const tally: Tally = {};
  for (let seed = base; seed < base + lives; seed++) {
    if (failureOf(seed, null, tally) === null) continue;
    // The same history, cut off as early as it still fails.
    for (let moves = 1; ; moves++) {
      const failure = failureOf(seed, moves, {});
      if (failure === null) continue;
      throw new Error(`DEEPWORK_SEED=${seed}: move ${moves}: ${failure.message}`, {
        cause: failure,
      });
    }
  }
  if (only !== undefined) return;
  // Events that every run must include.
  for (const what of [
    'lost a race',
    'crash',
    'send refused',
    'check waits',
    'check took over offered',
    'an offer ended too late',
    'received',
    'returned',
    'prune',
    'asked',
    'attached',
    'answered',
    'dismissed',
    'answered too late',
    'collected',
    'not collected',
  ]) {
    expect(tally[what] ?? 0, what).toBeGreaterThan(50);
  }
});
