// Searching any file for a line written by this user.

import { expect, test } from 'vitest';
import { testSeal } from '../../test/support/journal.ts';
import { someEvent } from '../../test/support/journal-conformance.ts';
import { checkEvent, NO_HASH, writeLine } from './line.ts';
import { holdsProvedLine } from './scan.ts';

const seal = testSeal();

function fileOf(bytes: Buffer) {
  return { read: async (into: Buffer, position: number) => bytes.copy(into, 0, position) };
}

test.each([0, 60_000, 65_530, 200_000])(
  'a proved line is found behind %i other bytes',
  async (before) => {
    const { bytes } = writeLine(
      checkEvent(someEvent({ long: 'x'.repeat(10_000) })),
      1,
      NO_HASH,
      seal,
    );
    const other = Buffer.alloc(before, 'other words\n');
    const text = Buffer.concat([other, Buffer.from('\n'), bytes]);
    expect(await holdsProvedLine(fileOf(text), seal.sign)).toBe(true);
    expect(await holdsProvedLine(fileOf(other), seal.sign)).toBe(false);
  },
);
