// `kill -9`, 14 times (DEEPWORK_KILLS for more), at random moments, over every tool that changes
// something. No accepted step is lost, none is applied twice, no view becomes unreadable, and
// every call in progress happened entirely or not at all. DEEPWORK_SEED draws the same numbers
// again.

import { expect, test } from 'vitest';
import { chooseSeed, randomFrom } from '../support/random.ts';
import { verifies } from '../verifies.ts';
import { travel } from './crash-client.ts';
import type { Identity } from './raw-server.ts';
import { addUp, describeTally } from './tally.ts';

const KILLS = Number.parseInt(process.env.DEEPWORK_KILLS ?? '', 10) || 14;
const MAX_MS_PER_KILL = 3000;

/** Half of them return as the same client, half as strangers that adopt the orphan. */
const IDENTITIES: readonly Identity[] = [{ clientSession: 'crash-client' }, 'own process'];

test(`${KILLS} kills lose nothing and repeat nothing`, {
  timeout: 60_000 + KILLS * MAX_MS_PER_KILL,
}, async () => {
  verifies('JOBS-X.10', 'JOBS-X.18', 'JOBS-X.19', 'JOBS-X.22');
  const seed = chooseSeed();
  const failed = new AbortController();
  const tallies = await Promise.all(
    IDENTITIES.map((identity, lane) =>
      travel({
        random: randomFrom(seed + lane),
        identity,
        kills: Math.ceil(KILLS / IDENTITIES.length),
        signal: failed.signal,
      }).catch((error: Error) => {
        failed.abort();
        error.message = `${JSON.stringify(identity)}: ${error.message}`;
        throw error;
      }),
    ),
  );
  const total = addUp(tallies);
  console.log(`DEEPWORK_SEED=${seed}: ${describeTally(total)}`);
  expect(total.kills).toBeGreaterThanOrEqual(KILLS);
  // A kill may leave only the one file that was being written.
  expect(total.leftovers).toBeLessThanOrEqual(total.kills);
});
