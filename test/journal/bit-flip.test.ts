// One flipped bit, at every place of a file: either it is detected, or it hit bytes that do not
// matter. No event is ever altered, and none is lost silently.

import * as fs from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { StreamDamaged } from '../../src/journal/journal.ts';
import { FOLD_START, fold } from '../../src/journal/judge-lines.ts';
import { checkEvent, writeLine } from '../../src/journal/line.ts';
import { verifyStream } from '../../src/journal/verify.ts';
import { keptOf, openTestJournal, TEST_KEY, testSeal } from '../support/journal.ts';
import { appendNext, readAll, someEvent } from '../support/journal-conformance.ts';
import { chooseSeed, randomFrom } from '../support/random.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';

function line(seq: number, prev: string, data: Record<string, unknown>) {
  return writeLine(checkEvent(someEvent(data)), seq, prev, testSeal());
}

const one = line(1, FOLD_START.hash, { n: 1 });
const two = line(2, one.hash, { n: 2, nested: { hash: 'ab' } });
const lostRace = line(2, one.hash, { n: 'lost' });
const three = line(3, two.hash, { n: 3 });
const late = line(3, two.hash, { n: 'late' });

const files: [string, Buffer[]][] = [
  ['events alone', [one.bytes, two.bytes, three.bytes]],
  ['a single event', [one.bytes]],
  ['an event and the race it won', [one.bytes, two.bytes, lostRace.bytes]],
  ['a torn line between', [one.bytes, lostRace.bytes.subarray(0, 120), two.bytes]],
  ['a torn end', [one.bytes, two.bytes, late.bytes.subarray(0, 99)]],
  ['a line torn before its newline', [one.bytes, lostRace.bytes.subarray(0, -1), two.bytes]],
  ['all of it', [one.bytes, two.bytes, lostRace.bytes, late.bytes.subarray(0, 50), three.bytes]],
];

const STEP = 7;
const TAB = 0x09;
const NEWLINE = 0x0a;

describe.each(files)('in a file of %s', (_, parts) => {
  it('no flipped bit goes unnoticed if it matters', () => {
    verifies('JOBS-X.20');
    const bytes = Buffer.concat(parts);
    const { sign } = testSeal();
    const truth = fold(FOLD_START, bytes, true, sign);
    expect(truth.damage).toBeNull();
    let unnoticed = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      for (let bit = 0; bit < 8; bit += 1) {
        const altered = Buffer.from(bytes);
        altered.writeUInt8(altered.readUInt8(at) ^ (1 << bit), at);
        const folded = fold(FOLD_START, altered, true, sign);
        const expected = truth.events.slice(0, folded.events.length);
        // An `expect` for each of 50,000 takes longer than the journal itself.
        if (!isDeepStrictEqual(folded.events, expected)) {
          throw new Error(`byte ${at}, bit ${bit}: ${JSON.stringify(folded.events)}`);
        }
        if (folded.damage !== null) continue;
        expect(folded.events.length, `byte ${at}, bit ${bit}`).toBe(truth.events.length);
        unnoticed += 1;
      }
    }
    const torn = parts.some((part) => part.at(-1) !== 0x0a);
    expect(unnoticed > 0).toBe(torn);
  });
});

it('is detected by the journal at any byte, and the file is kept', async () => {
  verifies('JOBS-X.20');
  const bytes = Buffer.concat([one.bytes, two.bytes, three.bytes]);
  const folder = tempFolder();
  const path = join(folder, 'team.jsonl');
  const journal = openTestJournal(folder);
  await appendNext(journal, 'other');
  // Where lines begin and end, and others in each run; above, every byte is tested without files.
  const begin = randomFrom(chooseSeed()).below(STEP);
  const places = [...bytes.keys()].filter(
    (at) => at % STEP === begin || [TAB, NEWLINE].includes(bytes.readUInt8(at)),
  );
  for (const at of places) {
    const altered = Buffer.from(bytes);
    altered.writeUInt8(altered.readUInt8(at) ^ (1 << (at % 8)), at);
    fs.writeFileSync(path, altered);
    expect((await verifyStream(folder, 'team', TEST_KEY))?.damage).not.toBeNull();
    const error = await readAll(journal, 'team').catch((reason: unknown) => reason);
    if (!(error instanceof StreamDamaged)) throw new Error(`byte ${at} went unnoticed`);
    expect(fs.readFileSync(join(folder, error.kept)).equals(altered)).toBe(true);
  }
  expect(await keptOf(journal, 'team', 'damaged')).toHaveLength(places.length);
});
