// Random lives of a team against the reference.
//
//   DEEPWORK_TEAM_LIVES=100000   how many
//   DEEPWORK_SEED=1234           that one only

import { expect, test } from 'vitest';
import { random } from '../support/random.ts';
import { verifies } from '../verifies.ts';
import { simulate, type Tally } from './simulation.ts';

const BASE_SEED = 20_260_101;
const only = process.env.DEEPWORK_SEED;
const base = only === undefined ? BASE_SEED : Number(only);
const lives = only === undefined ? Number(process.env.DEEPWORK_TEAM_LIVES ?? 1500) : 1;

test('random lives of a team go as the reference says', { timeout: 3_600_000 }, () => {
  verifies('TEAM-20', 'TEAM-21', 'TEAM-22', 'TEAM-24', 'TEAM-26', 'TEAM-32', 'TEAM-33');
  const tally: Tally = {};
  for (let seed = base; seed < base + lives; seed++) {
    const chance = random(seed);
    try {
      simulate(chance, 20 + chance.int(180), tally);
    } catch (error) {
      throw new Error(`seed ${seed}: DEEPWORK_SEED=${seed}`, { cause: error });
    }
  }
  if (only !== undefined) return;
  // What chance must not miss.
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
    expect(tally[what] ?? 0, what).toBeGreaterThan(100);
  }
});
