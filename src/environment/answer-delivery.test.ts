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

test('the fate of an answer is pending, then delivered or lost', async () => {
  const answers = openAnswers();
  const [one, other] = [call(), call()];
  answers.expect('one', one.after);
  answers.expect('other', other.after);
  expect(answers.fate('one')).toBe('pending');
  await one.end(true);
  await other.end(false);
  expect([answers.fate('one'), answers.fate('other'), answers.fate('none')]).toEqual([
    'delivered',
    'lost',
    null,
  ]);
  expect(answers.delivered()).toEqual(['one']);
  await answers.writtenOrLost('one');
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
  let end = () => {};
  const first = answers.overlapping('same', async (isOverlapping) => {
    expect(isOverlapping).toBe(false);
    await new Promise<void>((resolve) => {
      end = resolve;
    });
  });
  const told = async (name: string) =>
    answers.overlapping(name, async (isOverlapping) => isOverlapping);
  expect(await told('same')).toBe(true);
  expect(await told('different')).toBe(false);
  end();
  await first;
  expect(await told('same')).toBe(false);
});

test('a call that fails does not block the next one', async () => {
  const answers = openAnswers();
  const fails = answers.inTurn('same', call().after, async () => {
    throw new Error('no');
  });
  await expect(fails).rejects.toThrow('no');
  await expect(answers.inTurn('same', call().after, async () => 'yes')).resolves.toBe('yes');
});

test('the number of remembered answers is bounded', async () => {
  const answers = openAnswers();
  for (let at = 0; at < 1500; at++) {
    const each = call();
    answers.expect(String(at), each.after);
    await each.end(true);
  }
  expect(answers.delivered()).toHaveLength(1000);
  expect(answers.fate('0')).toBeNull();
});

test('of several answers that report one change, one that is delivered is enough', async () => {
  const answers = openAnswers();
  const [one, other, late] = [call(), call(), call()];
  answers.expect('change', one.after);
  answers.expect('change', other.after);
  await one.end(false);
  // The other one may still arrive.
  expect(answers.fate('change')).toBe('pending');
  await other.end(true);
  expect(answers.fate('change')).toBe('delivered');
  answers.expect('change', late.after);
  await late.end(false);
  expect(answers.fate('change')).toBe('delivered');
});
