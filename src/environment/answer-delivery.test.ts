import { expect, test } from 'vitest';
import { openAnswers } from './answer-delivery.ts';

/** Collects the work registered for after the answer. */
function call() {
  const work: ((delivered: boolean) => Promise<void>)[] = [];
  return {
    after: (each: (delivered: boolean) => Promise<void>) => void work.push(each),
    async end(delivered: boolean) {
      for (const each of work) await each(delivered);
    },
  };
}

test('an answer is pending, then delivered or lost; one of several that is delivered is enough', async () => {
  const answers = openAnswers();
  const [one, other, late] = [call(), call(), call()];
  answers.expect('change', one.after);
  answers.expect('change', other.after);
  expect(answers.fate('none')).toBeNull();
  await one.end(false);
  // The other one may still arrive.
  expect(answers.fate('change')).toBe('pending');
  await other.end(true);
  answers.expect('change', late.after);
  await late.end(false);
  expect([answers.fate('change'), answers.delivered()]).toEqual(['delivered', ['change']]);
  const lost = call();
  answers.expect('lost', lost.after);
  await lost.end(false);
  expect(answers.fate('lost')).toBe('lost');
});

test('an equal call waits until the earlier answer is written or lost, a different one does not', async () => {
  const answers = openAnswers();
  const done: string[] = [];
  const first = call();
  const run = (name: string) => async () => void done.push(name);
  await answers.inTurn('same', first.after, run('first'));
  const second = answers.inTurn('same', call().after, run('second'));
  await answers.inTurn('different', call().after, run('different'));
  expect(done).toEqual(['first', 'different']);
  await first.end(false);
  await second;
  expect(done).toEqual(['first', 'different', 'second']);
});

test('a call learns of an equal call that is running, not of one already answered', async () => {
  const answers = openAnswers();
  const told = async (name: string) => answers.overlapping(name, async (isRunning) => isRunning);
  const during = await answers.overlapping('same', async () => [
    await told('same'),
    await told('different'),
  ]);
  expect([...during, await told('same')]).toEqual([true, false, false]);
});

test('a call that fails does not block the next one, and few answers are remembered', async () => {
  const answers = openAnswers();
  const fails = answers.inTurn('same', call().after, () => Promise.reject(new Error('no')));
  await expect(fails).rejects.toThrow('no');
  await expect(answers.inTurn('same', call().after, async () => 'yes')).resolves.toBe('yes');
  for (let at = 0; at < 1500; at++) {
    const each = call();
    answers.expect(String(at), each.after);
    await each.end(true);
  }
  expect([answers.delivered().length, answers.fate('0')]).toEqual([1000, null]);
});
