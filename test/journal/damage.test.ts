// Damaged bytes. One flipped bit, at every place of a file: either it is detected, or it hit bytes
// that do not matter. A torn line never counts, and is no damage.

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

it('a flipped bit at the begin or end of a line is detected by the journal, and the file is kept', async () => {
  verifies('JOBS-X.20');
  const bytes = Buffer.concat([one.bytes, two.bytes, three.bytes]);
  const folder = tempFolder();
  const path = join(folder, 'team.jsonl');
  const journal = openTestJournal(folder);
  // Every byte is tested above, without files.
  const places = [...bytes.keys()].filter((at) => [TAB, NEWLINE].includes(bytes.readUInt8(at)));
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

it('a torn line is skipped at every length, and the next event follows right after it', async () => {
  verifies('JOBS-X.18', 'JOBS-X.20');
  const folder = tempFolder();
  const path = join(folder, 'team.jsonl');
  const first = await appendNext(openTestJournal(folder), 'team', { n: 1 });
  const before = fs.readFileSync(path);
  const { bytes } = line(2, first.hash, { text: 'tört', o: {} });

  for (let length = 0; length < bytes.length; length += 1) {
    fs.writeFileSync(path, Buffer.concat([before, bytes.subarray(0, length)]));
    const journal = openTestJournal(folder);
    expect(await readAll(journal, 'team')).toHaveLength(1);
    expect(await verifyStream(folder, 'team', TEST_KEY)).toMatchObject({
      unfinished: length,
      damage: null,
    });
    const result = await journal.append('team', 1, someEvent({ n: 2 }));
    expect(result.kind).toBe('appended');
    const events = await readAll(openTestJournal(folder), 'team');
    expect(events.map((event) => event.data)).toEqual([{ n: 1 }, { n: 2 }]);
  }
  expect(fs.existsSync(join(folder, 'damaged'))).toBe(false);
});

it('a line is read to its end by a reader that saw only a part of it', async () => {
  const folder = tempFolder();
  const path = join(folder, 'team.jsonl');
  const journal = openTestJournal(folder);
  const first = await appendNext(journal, 'team', { n: 1 });
  const { bytes } = line(2, first.hash, { n: 2 });
  const seen: number[] = [];
  for (const byte of bytes) {
    fs.appendFileSync(path, Buffer.from([byte]));
    seen.push((await readAll(journal, 'team', 1)).length);
  }
  expect(seen.slice(0, -1).every((count) => count === 0)).toBe(true);
  expect(seen.at(-1)).toBe(1);
});
