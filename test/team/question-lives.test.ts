// Every order of events that a person, the clock, the client and a crash can cause for one
// question: no answer is made up, none is lost, none is delivered twice.
//
//   DEEPWORK_QUESTION_LIVES=20000   how many random ones

import { rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openMemoryJournal } from '../../src/journal/memory.ts';
import { openTestJournal } from '../support/journal.ts';
import { randomFrom } from '../support/random.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';
import { playLife, STEPS, type Step } from './question-lives.ts';

const LIVES = Number(process.env.DEEPWORK_QUESTION_LIVES ?? 75);

async function play(steps: readonly Step[], folder: string, inFiles = false): Promise<void> {
  const journal = inFiles ? openTestJournal(path.join(folder, 'journal')) : openMemoryJournal();
  try {
    await playLife(journal, path.join(folder, 'state.json'), steps);
  } catch (error) {
    throw new Error(`steps: ${steps.join(' ')}`, { cause: error });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function* orders<T>(items: readonly T[]): Generator<T[]> {
  if (items.length === 0) yield [];
  for (const [index, item] of items.entries()) {
    const rest = [...items.slice(0, index), ...items.slice(index + 1)];
    for (const order of orders(rest)) yield [item, ...order];
  }
}

test("every order of answer, duplicate, timeout, cancel and crash gives the person's answer once", {
  timeout: 600_000,
}, async () => {
  verifies('TEAM-29', 'TEAM-31', 'TEAM-32');
  const folder = tempFolder();
  let count = 0;
  for (const order of orders<Step>(['answer', 'again', 'timeout', 'cancel', 'crash'])) {
    // Asked again after every step, and not at all.
    await play(['ask', ...order], path.join(folder, `a${count}`));
    await play(
      ['ask', ...order.flatMap((step): Step[] => [step, 'ask'])],
      path.join(folder, `b${count}`),
    );
    count += 1;
  }
  expect(count).toBe(120);
});

test("every order with forms, dismissal and lost answers gives the person's answer once", {
  timeout: 600_000,
}, async () => {
  verifies('TEAM-29', 'TEAM-30', 'TEAM-32');
  const folder = tempFolder();
  let count = 0;
  for (const order of orders<Step>(['form', 'lost', 'dismiss', 'timeout', 'crash'])) {
    await play(
      ['ask', ...order.flatMap((step): Step[] => [step, 'ask'])],
      path.join(folder, `c${count}`),
    );
    count += 1;
  }
  expect(count).toBe(120);
});

test("random histories of a question, some of them on files, give the person's answer once", {
  timeout: 3_600_000,
}, async () => {
  verifies('TEAM-29', 'TEAM-31', 'TEAM-32');
  const folder = tempFolder();
  let played = 0;
  const failureOf = (steps: readonly Step[], inFiles: boolean): Promise<Error | null> =>
    play(steps, path.join(folder, `d${played++}`), inFiles).then(
      () => null,
      (error: Error) => error,
    );
  /** Drops one step after the other, as long as the rest still fails. */
  async function shortest(steps: readonly Step[], seed: number, inFiles: boolean): Promise<Error> {
    let left = [...steps];
    for (let at = 0; at < left.length; ) {
      const fewer = left.toSpliced(at, 1);
      if ((await failureOf(fewer, inFiles)) === null) at += 1;
      else left = fewer;
    }
    const failure = await failureOf(left, inFiles);
    return new Error(`Seed ${seed}, ${left.join(', ')}: ${failure?.message}`, { cause: failure });
  }
  for (let seed = 1; seed <= LIVES; seed++) {
    const chance = randomFrom(seed);
    const steps = Array.from({ length: 4 + chance.below(12) }, () => chance.pick(STEPS));
    const inFiles = seed % 5 === 0;
    if ((await failureOf(steps, inFiles)) !== null) throw await shortest(steps, seed, inFiles);
  }
});
