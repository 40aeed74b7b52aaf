// The limit itself: a test tool that cannot fail would prove nothing.

import { expect, test } from 'vitest';
import { expectPiecesAtMost } from './processor-time.ts';
import { referenceWork } from './reference-work.cjs';

const doPieces = (count: number) => {
  for (let done = 0; done < count; done += 1) referenceWork();
};

test('work that is too much in every try is reported', async () => {
  let tries = 0;
  const work = () => {
    tries += 1;
    doPieces(30);
  };
  await expect(expectPiecesAtMost(0.2, work, 'The work')).rejects.toThrow(
    /^The work took \d+ pieces of work or more; the limit is 0\.2$/,
  );
  expect(tries).toBe(5);
});

test('work that is too much by chance is tried again', async () => {
  let tries = 0;
  await expectPiecesAtMost(5, () => {
    tries += 1;
    if (tries === 1) doPieces(200);
  });
  expect(tries).toBe(2);
});
