// Random damage: bits of streams and archives are flipped, and bytes are cut out. Damage with an
// effect must be found at its line; undamaged files must not be reported.

import { expect, test } from 'vitest';
import { TEST_KEY } from '../../test/support/journal.ts';
import { chooseSeed, type Random, randomFrom } from '../../test/support/random.ts';
import { verifies } from '../../test/verifies.ts';
import { verifyArchiveBytes } from './archive.ts';
import type { Damage } from './judge-lines.ts';
import { checkEvent, NO_HASH, writeLine } from './line.ts';
import type { Readable } from './scan.ts';
import { sealOf } from './seal.ts';
import { verifyBytes } from './verify.ts';

const AT = '2025-01-31T12:00:00.000Z';
const OF_STREAMS = 8000;
const OF_ARCHIVES = 2000;
/** Writing and sealing one takes longer than judging it, so each is damaged in several ways. */
const DAMAGED_EACH = 4;

/** Bytes, and which of them have no effect: damage to torn lines changes nothing. */
interface Text {
  readonly bytes: Buffer;
  readonly torn: readonly (readonly [from: number, to: number])[];
}

interface Stream extends Text {
  readonly name: string;
  readonly events: number;
  readonly hash: string;
}

interface Chances {
  readonly tornEnd: number;
  /**
   * The chance of a line that lost the race for its place. Not used for cuts: if exactly the line
   * that won is missing, the one that lost takes its place, and only the next line, which does not
   * continue it, shows that.
   */
  readonly rival: number;
}

function randomStream(random: Random, name: string, { tornEnd, rival }: Chances): Stream {
  const seal = sealOf(TEST_KEY, name);
  const parts: Buffer[] = [];
  const torn: [number, number][] = [];
  let size = 0;
  let last = { seq: 0, hash: NO_HASH };
  const add = (bytes: Buffer) => {
    parts.push(bytes);
    size += bytes.length;
  };
  const line = (seq: number, prev: string) => {
    const text = random.pick(['x', 'IJ)*', 'two\nlines\t', 'é全👩']).repeat(random.below(12));
    return writeLine(checkEvent({ type: 'noted', at: AT, data: { text } }), seq, prev, seal);
  };
  const tear = () => {
    const { bytes } = line(last.seq + 1, last.hash);
    const cut = bytes.subarray(0, random.between(1, bytes.length - 2));
    torn.push([size, size + cut.length]);
    add(cut);
  };
  const count = random.between(1, 12);
  for (let seq = 1; seq <= count; seq++) {
    if (random.chance(0.1)) tear();
    const { bytes, hash } = line(seq, last.hash);
    add(bytes);
    if (random.chance(rival)) add(line(seq, last.hash).bytes);
    last = { seq, hash };
  }
  if (random.chance(tornEnd)) tear();
  return { name, bytes: Buffer.concat(parts), torn, events: last.seq, hash: last.hash };
}

function randomArchive(random: Random, rival: number): Text {
  const streams = Array.from({ length: random.between(1, 3) }, (_, index) =>
    randomStream(random, `session/0000000${index}`, { tornEnd: 0, rival }),
  );
  const listed = streams.map(({ name, bytes, events, hash }) => {
    const lines = linesIn(bytes);
    return { stream: name, bytes: bytes.length, lines, events, hash };
  });
  const seal = sealOf(TEST_KEY, 'archive');
  const first = checkEvent({ type: 'archive', at: AT, data: { streams: listed } });
  const head = writeLine(first, 1, NO_HASH, seal);
  const last = checkEvent({ type: 'archive_end', at: AT, data: {} });
  const end = writeLine(last, 2, head.hash, seal).bytes;
  let start = head.bytes.length;
  const torn = streams.flatMap(({ bytes, torn: inside }) => {
    const from = start;
    start += bytes.length;
    return inside.map(([a, b]) => [from + a, from + b] as const);
  });
  return { bytes: Buffer.concat([head.bytes, ...streams.map(({ bytes }) => bytes), end]), torn };
}

function inMemory(bytes: Buffer): Readable {
  return {
    read: async (into, position) => bytes.copy(into, 0, Math.min(position, bytes.length)),
  };
}

function lineOf(bytes: Buffer, at: number): number {
  return linesIn(bytes.subarray(0, at)) + 1;
}

function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) lines += 1;
  return lines;
}

interface DamagedBytes {
  readonly bytes: Buffer;
  readonly at: number;
  readonly how: string;
  /** Only bytes that had no effect were touched. */
  readonly harmless: boolean;
}

function damageBytes(random: Random, { bytes, torn }: Text, flip: boolean): DamagedBytes {
  const from = random.below(bytes.length);
  if (flip) {
    const at = from;
    const copy = Buffer.from(bytes);
    copy[at] = (copy[at] as number) ^ (1 << random.below(8));
    const harmless = torn.some(([start, end]) => start <= at && at < end);
    return { bytes: copy, at, how: 'flip', harmless };
  }
  const to = random.chance(0.3)
    ? bytes.length
    : Math.min(bytes.length, from + random.between(1, random.pick([1, 20, 2000])));
  const harmless = torn.some(([start, end]) => start <= from && to <= end);
  const cut = Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
  // Lines end alike: without `}}⏎…` there is the same as without what follows the `}}⏎`.
  let at = from;
  while (at < cut.length && cut[at] === bytes[at]) at++;
  return { bytes: cut, at, how: `cut ${from} to ${to}`, harmless };
}

test('every flipped bit and every cut in a stream is found, at its line', async () => {
  verifies('BOARD-6');
  const random = randomFrom(chooseSeed());
  const wrong: unknown[] = [];
  let stream: Stream | null = null;
  let flip = false;
  for (let nth = 0; nth < OF_STREAMS; nth++) {
    if (stream === null || nth % DAMAGED_EACH === 0) {
      flip = random.chance(0.5);
      const chances = { tornEnd: 0.2, rival: flip ? 0.1 : 0 };
      stream = randomStream(random, 'session/ab12cd34', chances);
      const { name, bytes: all } = stream;
      const sound = await verifyBytes(inMemory(all), all.length, name, TEST_KEY);
      const isSound = sound.damage === null && sound.events === stream.events && !sound.foreign;
      if (!isSound) wrong.push(sound);
    }
    const { bytes, at, how, harmless } = damageBytes(random, stream, flip);
    const found = await verifyBytes(inMemory(bytes), bytes.length, stream.name, TEST_KEY);
    // Only the view of a stream shows how many events there were.
    const lost: Damage | null =
      found.events < stream.events ? { line: found.lines + 1, reason: 'lost' } : null;
    const damage = found.damage ?? lost;
    const unchanged = found.hash === stream.hash && found.events === stream.events;
    const line = lineOf(stream.bytes, at);
    const isRight =
      damage === null ? unchanged && (harmless || how !== 'flip') : damage.line === line;
    if (!isRight) wrong.push({ nth, at, how, harmless, found, line });
  }
  expect(wrong).toEqual([]);
});

test('every flipped bit and every cut in an archive is found, at its line', async () => {
  verifies('BOARD-6');
  const random = randomFrom(chooseSeed());
  const wrong: unknown[] = [];
  const verify = (bytes: Buffer) =>
    verifyArchiveBytes(inMemory(bytes), bytes.length, '2025-01-31.jsonl', TEST_KEY);
  let archive: Text | null = null;
  let flip = false;
  for (let nth = 0; nth < OF_ARCHIVES; nth++) {
    if (archive === null || nth % DAMAGED_EACH === 0) {
      flip = random.chance(0.5);
      archive = randomArchive(random, flip ? 0.1 : 0);
      const sound = await verify(archive.bytes);
      if (sound.damage !== null || sound.foreign) wrong.push(sound);
    }
    const { bytes, at, how, harmless } = damageBytes(random, archive, flip);
    const { damage, foreign } = await verify(bytes);
    const isFound = damage !== null && !foreign;
    // If only torn bytes are missing, the following bytes are displaced.
    const isRight = isFound
      ? harmless || damage.line === lineOf(archive.bytes, at)
      : harmless && how === 'flip';
    if (!isRight)
      wrong.push({ nth, at, how, harmless, damage, foreign, line: lineOf(archive.bytes, at) });
  }
  expect(wrong).toEqual([]);
});

test('a stream and an archive of another key are foreign, not damaged', async () => {
  verifies('BOARD-6');
  const random = randomFrom(chooseSeed());
  const other = Buffer.alloc(32, 'another');
  const { bytes, name } = randomStream(random, 'session/ab12cd34', { tornEnd: 0, rival: 0 });
  expect((await verifyBytes(inMemory(bytes), bytes.length, name, other)).foreign).toBe(true);
  const archive = randomArchive(random, 0);
  const found = await verifyArchiveBytes(inMemory(archive.bytes), archive.bytes.length, 'a', other);
  expect(found).toMatchObject({ foreign: true, streams: [] });
});
