// Searching any file for a line written by this user, and where reading a file ends.

import { expect, test } from 'vitest';
import { testSeal } from '../../test/support/journal.ts';
import { someEvent } from '../../test/support/journal-conformance.ts';
import { FOLD_START } from './judge-lines.ts';
import { checkEvent, NO_HASH, writeLine } from './line.ts';
import { holdsProvedLine, scan } from './scan.ts';

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

test.each(['damaged', 'closed'])(
  'nothing is read behind the line with which a file is %s',
  async (how) => {
    const { bytes } = writeLine(checkEvent(someEvent({})), how === 'closed' ? 0 : 2, NO_HASH, seal);
    let reads = 0;
    /** Larger than any buffer that it could be read into. */
    const endless = {
      async read(into: Buffer, position: number) {
        reads += 1;
        if (reads > 20) throw new Error('read on and on');
        into.fill('other words\n');
        if (position === 0) bytes.copy(into);
        return into.length;
      },
    };
    for await (const { damage, state } of scan(endless, FOLD_START, seal.sign)) {
      expect(damage !== null ? 'damaged' : state.closed && 'closed').toBe(how);
    }
    expect(reads).toBe(1);
  },
);
