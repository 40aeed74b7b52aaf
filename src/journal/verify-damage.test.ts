// Random damage: bits of streams and archives are flipped, and bytes are cut out. It must be found at
// its line, and nothing else may be reported. Torn lines and lost races are tested with the journal.

import { expect, test } from 'vitest';
import { TEST_KEY } from '../../test/support/journal.ts';
import { chooseSeed, type Random, randomFrom } from '../../test/support/random.ts';
import { verifies } from '../../test/verifies.ts';
import { verifyArchiveBytes } from './archive.ts';
import { checkEvent, NO_HASH, writeLine } from './line.ts';
import type { Readable } from './scan.ts';
import { sealOf } from './seal.ts';
import { verifyBytes } from './verify.ts';

const AT = '2025-01-31T12:00:00.000Z';
const TIMES = 2000;
const NAMES = ['session/0000000a', 'session/0000000b'];

function someStream(random: Random, name: string) {
  const seal = sealOf(TEST_KEY, name);
  const lines: Buffer[] = [];
  let hash = NO_HASH;
  for (let seq = 1; seq <= 6; seq++) {
    const text = random.pick(['x', 'IJ)*', 'two\nlines\t', 'é全👩']).repeat(random.below(12));
    const event = checkEvent({ type: 'noted', at: AT, data: { text } });
    const line = writeLine(event, seq, hash, seal);
    lines.push(line.bytes);
    hash = line.hash;
  }
  return { name, bytes: Buffer.concat(lines), events: lines.length, hash };
}

function someArchive(random: Random): Buffer {
  const streams = NAMES.map((name) => someStream(random, name));
  const listed = streams.map(({ name, bytes, events, hash }) => {
    return { stream: name, bytes: bytes.length, lines: events, events, hash };
  });
  const seal = sealOf(TEST_KEY, 'archive');
  const first = checkEvent({ type: 'archive', at: AT, data: { streams: listed } });
  const head = writeLine(first, 1, NO_HASH, seal);
  const end = writeLine(checkEvent({ type: 'archive_end', at: AT, data: {} }), 2, head.hash, seal);
  return Buffer.concat([head.bytes, ...streams.map(({ bytes }) => bytes), end.bytes]);
}

const inMemory = (bytes: Buffer): Readable => ({
  read: async (into, position) => bytes.copy(into, 0, Math.min(position, bytes.length)),
});

function damaged(random: Random, bytes: Buffer): { bytes: Buffer; line: number } {
  const copy = Buffer.from(bytes);
  let at = random.below(bytes.length);
  let found = copy;
  if (random.chance(0.5)) copy[at] = (copy[at] as number) ^ (1 << random.below(8));
  else {
    const to = random.chance(0.3) ? bytes.length : at + random.between(1, 200);
    found = Buffer.concat([bytes.subarray(0, at), bytes.subarray(to)]);
    // Lines end alike: without `}}⏎…` there is the same as without what follows the `}}⏎`.
    while (at < found.length && found[at] === bytes[at]) at++;
  }
  const line = bytes.subarray(0, at).toString('latin1').split('\n').length;
  return { bytes: found, line };
}

test('every flipped bit and every cut is found, at its line', async () => {
  verifies('BOARD-6');
  const random = randomFrom(chooseSeed());
  const { name = '', bytes: stream, events } = someStream(random, 'session/0000000a');
  const archive = someArchive(random);
  const other = Buffer.alloc(32, 'another');
  const ofStream = (bytes: Buffer, key = TEST_KEY) =>
    verifyBytes(inMemory(bytes), bytes.length, name, key);
  const ofArchive = (bytes: Buffer, key = TEST_KEY) =>
    verifyArchiveBytes(inMemory(bytes), bytes.length, 'a', key);
  expect(await ofStream(stream)).toMatchObject({ damage: null, foreign: false, events });
  expect(await ofArchive(archive)).toMatchObject({ damage: null, foreign: false });
  // What another key wrote is foreign, not damaged.
  expect(await ofStream(stream, other)).toMatchObject({ foreign: true });
  expect(await ofArchive(archive, other)).toMatchObject({ foreign: true, streams: [] });
  for (let nth = 0; nth < TIMES; nth++) {
    const { bytes, line } = damaged(random, stream);
    const found = await ofStream(bytes);
    // Only the view of a stream shows how many events there were.
    const lost = found.events < events ? found.lines + 1 : null;
    expect(found.damage?.line ?? lost, `stream ${nth}`).toBe(line);
    const spoilt = damaged(random, archive);
    const { damage, foreign } = await ofArchive(spoilt.bytes);
    expect([damage?.line, foreign], `archive ${nth}`).toEqual([spoilt.line, false]);
  }
});
