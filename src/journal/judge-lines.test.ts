import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import { testSeal } from '../../test/support/journal.ts';
import { someEvent } from '../../test/support/journal-conformance.ts';
import { FOLD_START, type Folded, fold } from './judge-lines.ts';
import { checkEvent, MAX_RECORD_BYTES, NO_HASH, writeLine } from './line.ts';

const { sign } = testSeal();

interface Written {
  readonly text: string;
  readonly hash: string;
}

function write(seq: number, prev: string, data: Record<string, unknown> = { seq }): Written {
  const { bytes, hash } = writeLine(checkEvent(someEvent(data)), seq, prev, testSeal());
  return { text: bytes.toString(), hash };
}

const one = write(1, NO_HASH);
const two = write(2, one.hash);
const three = write(3, two.hash);
const lostRace = write(2, one.hash, { lost: true });

function foldText(...texts: string[]): Folded {
  return fold(FOLD_START, Buffer.from(texts.join('')), true, sign);
}

function seqs(folded: Folded): number[] {
  return folded.events.map((event) => event.seq);
}

const torn = (line: Written, cut = 30) => line.text.slice(0, -cut);

describe('folding finds damage', () => {
  it('in a whole line whose tab was replaced by a zero byte', () => {
    const folded = foldText(one.text, two.text.replace('\t', '\0'), three.text);
    expect(seqs(folded)).toEqual([1]);
    expect(folded.damage).toEqual({ line: 2, reason: 'the text is not what was written' });
  });
});

describe('folding accepts', () => {
  it('events that follow one another', () => {
    const folded = foldText(one.text, two.text, three.text);
    expect(seqs(folded)).toEqual([1, 2, 3]);
    expect(folded).toMatchObject({ voids: 0, damage: null });
    const offset = Buffer.byteLength(one.text + two.text + three.text);
    expect(folded.state).toEqual({ seq: 3, hash: three.hash, offset, line: 3, closed: false });
  });

  it('the same events for any division of the bytes', () => {
    const bytes = Buffer.from(
      [one.text, lostRace.text.slice(0, 90), two.text, '\n', lostRace.text, three.text].join(''),
    );
    const whole = fold(FOLD_START, bytes, true, sign);
    expect(seqs(whole)).toEqual([1, 2, 3]);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
        let state = FOLD_START;
        let voids = 0;
        const found: number[] = [];
        for (const cut of [...cuts.sort((a, b) => a - b), bytes.length]) {
          if (cut < state.offset) continue;
          const folded = fold(state, bytes.subarray(state.offset, cut), true, sign);
          expect(folded.damage).toBeNull();
          found.push(...seqs(folded));
          voids += folded.voids;
          state = folded.state;
        }
        expect({ found, voids, state }).toEqual({
          found: [1, 2, 3],
          voids: whole.voids,
          state: whole.state,
        });
      }),
    );
  });
});

describe('folding skips', () => {
  it.each([
    ['a lost race', [one.text, two.text, lostRace.text, three.text], 1],
    ['a lost race that is late', [one.text, two.text, three.text, lostRace.text], 1],
    ['an event that is there twice', [one.text, one.text, two.text, three.text], 1],
    ['a blank line', [one.text, '\n', two.text, '\n\n', three.text], 3],
    ['a torn line', [one.text, torn(lostRace), two.text, three.text], 1],
    ['several torn lines', [one.text, torn(two), '\t', torn(two, 99), two.text, three.text], 3],
    ['a line torn before its newline', [one.text, torn(lostRace, 1), two.text, three.text], 1],
    ['zero bytes where a line was lost', [one.text, '\0\0\0', two.text, three.text], 1],
    [
      'a torn line filled up with zero bytes',
      [torn(one), '\0\0', one.text, two.text, three.text],
      1,
    ],
  ])('%s', (_, texts, voids) => {
    const folded = foldText(...texts);
    expect(folded).toMatchObject({ damage: null, voids });
    expect(seqs(folded)).toEqual([1, 2, 3]);
  });

  it('an incomplete line, and reads it once it is complete', () => {
    for (let cut = 1; cut < two.text.length; cut += 1) {
      const start = foldText(one.text, torn(two, cut));
      expect(start).toMatchObject({ damage: null, state: { seq: 1, offset: one.text.length } });
      expect(seqs(fold(start.state, Buffer.from(two.text), true, sign))).toEqual([2]);
    }
  });
});

describe('a line that closes the file', () => {
  const closing = write(0, one.hash);

  it('is where folding stops: nothing after it counts', () => {
    for (const behind of [two.text, 'rubbish\n', '']) {
      const folded = foldText(one.text, closing.text, behind);
      expect(folded).toMatchObject({ damage: null, state: { seq: 1, closed: true } });
      expect(folded.state.offset).toBe(one.text.length);
      const again = fold(folded.state, Buffer.from(closing.text + behind), true, sign);
      expect(again).toMatchObject({ events: [], damage: null, state: folded.state });
    }
  });

  it('closes nothing if it was not written under the key', () => {
    const forged = write(0, one.hash).text.replace('noted', 'nOted');
    expect(foldText(one.text, forged)).toMatchObject({
      damage: { line: 2 },
      state: { closed: false },
    });
  });
});

describe('folding reports damage', () => {
  const altered = two.text.replace('"noted"', '"nOted"');
  const other = write(2, three.hash);
  const notAnEvent = write(2, one.hash).text;

  it.each([
    ['altered text', [one.text, altered, three.text], 2, 'not what was written'],
    ['altered text at the end', [one.text, altered], 2, 'not what was written'],
    ['altered text of a lost race', [one.text, two.text, altered], 3, 'not what was written'],
    ['a missing event', [one.text, three.text], 2, 'event 3 follows event 1'],
    ['a missing beginning', [two.text], 1, 'event 2 follows event 0'],
    ['another past', [one.text, other.text], 2, 'does not continue'],
    ['foreign text', [one.text, 'hello\n'], 2, 'an event does not begin with a tab'],
    ['text without an end', [one.text, 'hello'], 2, 'an event does not begin with a tab'],
    ['a lost tab', [one.text, two.text.slice(1)], 2, 'an event does not begin with a tab'],
    ['an altered newline at the end', [`${one.text.trimEnd()}*`], 1, 'newline'],
    ['an altered newline', [`${one.text.trimEnd()}*`, two.text], 1, 'newline'],
    ['a lost newline', [one.text.trimEnd(), two.text], 1, 'event 2 follows event 0'],
    ['zero bytes in a whole line', [`\0\0${notAnEvent.slice(2)}`], 1, 'not what was written'],
  ])('by %s', (_, texts, line, reason) => {
    const folded = foldText(...texts);
    expect(folded.damage?.line).toBe(line);
    expect(folded.damage?.reason).toContain(reason);
    expect(seqs(folded)).toEqual([1, 2, 3].slice(0, folded.state.seq));
  });

  it('for a line that is too long, complete or not', () => {
    const long = Buffer.alloc(MAX_RECORD_BYTES + 2, 'x');
    long.write('\t');
    expect(fold(FOLD_START, long, false, sign).damage?.reason).toContain('16 MiB');
    long.write('\n', long.length - 1);
    expect(fold(FOLD_START, long, true, sign).damage?.reason).not.toContain('16 MiB');
    const longer = Buffer.concat([long.subarray(0, -1), Buffer.from('xx\n')]);
    expect(fold(FOLD_START, longer, true, sign).damage?.reason).toContain('16 MiB');
  });
});

it('never throws and never invents an event, whatever the bytes are', () => {
  const pieces = fc.oneof(
    fc.constantFrom(one.text, two.text, three.text, lostRace.text, '\t', '\n', '\0', '{"hash":"'),
    fc.string({ unit: anyCharacter, maxLength: 20 }),
    fc.tuple(fc.constantFrom(one, two, three), fc.nat(200)).map(([line, cut]) => torn(line, cut)),
  );
  const known = new Set([one.hash, two.hash, three.hash, lostRace.hash]);
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (texts) => {
      const folded = foldText(...texts);
      expect(seqs(folded)).toEqual(folded.events.map((_, index) => index + 1));
      for (const event of folded.events) expect(known.has(event.hash)).toBe(true);
    }),
    { numRuns: 500 },
  );
});
