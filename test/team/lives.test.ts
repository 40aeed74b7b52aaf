// Random lives of messages and of questions, each compared with a simple model: nothing is lost,
// made up or told twice without a mark.
//
//   DEEPWORK_TEAM_LIVES=10000   how many of each
//   DEEPWORK_SEED=1234          that one only

import { rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openMemoryJournal } from '../../src/journal/memory.ts';
import { openTestJournal } from '../support/journal.ts';
import { randomFrom } from '../support/random.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';
import { playMessages, type Tally } from './message-lives.ts';
import { playQuestion, STEPS, type Step } from './question-lives.ts';

const only = process.env.DEEPWORK_SEED;
const base = Number(only ?? 20_260_101);
const seedsOf = (usual: number) => {
  const lives = only === undefined ? Number(process.env.DEEPWORK_TEAM_LIVES ?? usual) : 1;
  return Array.from({ length: lives }, (_, index) => base + index);
};

test('random lives of messages match the model', { timeout: 3_600_000 }, () => {
  verifies('TEAM-20', 'TEAM-21', 'TEAM-22', 'TEAM-24', 'TEAM-26');
  const tally: Tally = new Map();
  const failureOf = (seed: number, moves: number | null): unknown => {
    const chance = randomFrom(seed);
    const whole = 20 + chance.below(180);
    try {
      playMessages(chance, moves ?? whole, tally);
      return null;
    } catch (error) {
      return error;
    }
  };
  for (const seed of seedsOf(250)) {
    if (failureOf(seed, null) === null) continue;
    // The same history, cut off as early as it still fails.
    for (let moves = 1; ; moves++) {
      const cause = failureOf(seed, moves);
      if (cause === null) continue;
      throw new Error(`DEEPWORK_SEED=${seed}: move ${moves}: ${cause}`, { cause });
    }
  }
  if (only !== undefined) return;
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
  ]) {
    expect(tally.get(what) ?? 0, what).toBeGreaterThan(50);
  }
});

const folder = () => path.join(tempFolder(), 'life');

async function play(steps: readonly Step[], place: string, inFiles = false): Promise<void> {
  const journal = inFiles ? openTestJournal(path.join(place, 'journal')) : openMemoryJournal();
  try {
    await playQuestion(journal, path.join(place, 'state.json'), steps);
  } catch (error) {
    throw new Error(`steps: ${steps.join(' ')}`, { cause: error });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function* orders<T>(items: readonly T[]): Generator<T[]> {
  if (items.length === 0) yield [];
  for (const [index, item] of items.entries()) {
    for (const order of orders(items.toSpliced(index, 1))) yield [item, ...order];
  }
}

const askedAfterEach = (order: readonly Step[]) => order.flatMap((step): Step[] => [step, 'ask']);

test.each<[Step[], boolean]>([
  [['answer', 'again', 'timeout', 'cancel', 'crash'], false],
  [['answer', 'again', 'timeout', 'cancel', 'crash'], true],
  [['form', 'lost', 'dismiss', 'timeout', 'crash'], true],
])(
  "every order of %j gives the person's answer once (asked again after each: %s)",
  async (steps, isAskedAgain) => {
    verifies('TEAM-29', 'TEAM-30', 'TEAM-31', 'TEAM-32');
    const place = folder();
    for (const order of orders(steps)) {
      await play(['ask', ...(isAskedAgain ? askedAfterEach(order) : order)], place);
    }
  },
);

test("random lives of a question, some of them on files, give the person's answer once", {
  timeout: 3_600_000,
}, async () => {
  verifies('TEAM-29', 'TEAM-31', 'TEAM-32');
  const place = folder();
  for (const seed of seedsOf(75)) {
    const chance = randomFrom(seed);
    const inFiles = seed % 5 === 0;
    let left = Array.from({ length: 4 + chance.below(12) }, () => chance.pick(STEPS));
    const failureOf = (steps: readonly Step[]): Promise<Error | null> =>
      play(steps, place, inFiles).then(
        () => null,
        (error: Error) => error,
      );
    if ((await failureOf(left)) === null) continue;
    // Drops one step after the other, as long as the rest still fails.
    for (let at = 0; at < left.length; ) {
      const fewer = left.toSpliced(at, 1);
      if ((await failureOf(fewer)) === null) at += 1;
      else left = fewer;
    }
    throw new Error(`DEEPWORK_SEED=${seed}`, { cause: await failureOf(left) });
  }
});
