import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import { someEvent } from '../../test/support/journal-conformance.ts';
import { checkEvent, isIntact, MAX_RECORD_BYTES, NO_HASH, readEvent, writeLine } from './line.ts';
import { sealOf } from './seal.ts';

const KEY = Buffer.alloc(32, 'k');
const seal = sealOf(KEY, 'team');
const { sign } = seal;

function textOf(data: Record<string, unknown>, seq = 1, prev = NO_HASH): Buffer {
  return writeLine(checkEvent(someEvent(data)), seq, prev, seal).bytes.subarray(1, -1);
}

describe('a line', () => {
  it('is a tab, one JSON object and a newline, with the fields in order', () => {
    const line = writeLine(checkEvent(someEvent({ a: 1 })), 3, 'b'.repeat(64), seal);
    const text = line.bytes.toString();
    expect(text.startsWith('\t{"hash":"')).toBe(true);
    expect(text.endsWith('}\n')).toBe(true);
    const fields = JSON.parse(text);
    expect(Object.keys(fields)).toEqual(['hash', 'prev', 'seq', 'at', 'type', 'key', 'data']);
    expect(fields).toMatchObject({ hash: line.hash, prev: 'b'.repeat(64), seq: 3, data: { a: 1 } });
  });

  it('contains no tab and no newline inside, whatever the event contains', () => {
    const text = fc.string({ unit: anyCharacter });
    fc.assert(
      fc.property(fc.dictionary(text, text), text, (data, type) => {
        const event = someEvent(
          { ...data, hostile: '\t\n\r\0{"hash":"' },
          `\t${type}`.slice(0, 200),
        );
        const { bytes } = writeLine(checkEvent(event), 1, NO_HASH, seal);
        const inside = bytes.subarray(1, -1);
        expect(inside.includes('\t') || inside.includes('\n') || inside.includes('\0')).toBe(false);
        expect(isIntact(inside, sign)).toBe(true);
        expect(readEvent(inside)?.data).toEqual(JSON.parse(JSON.stringify(event.data)));
      }),
    );
  });

  it('is not intact with any byte missing, added or altered', () => {
    const text = textOf({ a: 'bc' });
    expect(isIntact(text, sign)).toBe(true);
    for (let at = 0; at < text.length; at += 1) {
      expect(isIntact(text.subarray(0, at), sign)).toBe(false);
      for (let bit = 0; bit < 8; bit += 1) {
        const altered = Buffer.from(text);
        altered.writeUInt8((altered[at] ?? 0) ^ (1 << bit), at);
        expect(isIntact(altered, sign)).toBe(false);
      }
    }
    expect(isIntact(Buffer.concat([text, Buffer.from(' ')]), sign)).toBe(false);
    expect(isIntact(Buffer.alloc(MAX_RECORD_BYTES + 1), sign)).toBe(false);
  });
});

describe('reading an event', () => {
  it.each([
    'null',
    '[]',
    '{}',
    '{"prev":"x","seq":1,"at":"","type":"","data":{}}',
    `{"prev":"${NO_HASH}","seq":0,"at":"","type":"","data":{}}`,
    `{"prev":"${NO_HASH}","seq":1.5,"at":"","type":"","data":{}}`,
    `{"prev":"${NO_HASH}","seq":1,"at":"","type":"","data":[]}`,
    `{"prev":"${NO_HASH}","seq":1,"at":"","type":7,"data":{}}`,
    `{"prev":"${NO_HASH}"`,
  ])('finds none in %s', (text) => {
    expect(readEvent(Buffer.from(text))).toBeNull();
  });

  it('takes the hash from its position, not from a second field of that name', () => {
    const text = textOf({}).toString();
    const forged = Buffer.from(text.replace(/\}$/, `,"hash":"${'f'.repeat(64)}"}`));
    expect(readEvent(forged)?.hash).toBe(text.slice(9, 73));
  });
});
