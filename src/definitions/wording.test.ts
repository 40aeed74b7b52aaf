import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openFindingLog, writeFindings } from './finding.ts';
import { cut, nameList, onOneLine } from './wording.ts';

describe('quoting', () => {
  it('cuts to size and never splits a character', () => {
    expect(cut('abcdef', 6)).toBe('abcdef');
    expect(cut('abcdef', 4)).toBe('abc…');
    expect(cut('ab🙂cd', 4)).toBe('ab…');
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.integer({ min: 2, max: 20 }),
        (text, most) => {
          expect(cut(text, most).length).toBeLessThanOrEqual(most);
          expect(() => encodeURIComponent(cut(text, most))).not.toThrow();
        },
      ),
    );
  });

  it('keeps any text on one line', () => {
    expect(onOneLine('a\nb\r\t\0\u2028c')).toBe('a\\nb\\r\\t\\u0000\\u2028c');
  });

  it('counts the names that it leaves out', () => {
    expect(nameList(['a', 'b'])).toBe('a, b');
    expect(nameList(['a', 'b', 'c', 'd'], 2)).toBe('a, b and 2 more');
  });
});

describe('findings', () => {
  it('are kept up to a number and counted beyond it', () => {
    const log = openFindingLog(2);
    for (const name of ['a', 'b\nc', 'd']) log.add(name, { line: 1, column: 2 });
    expect(log.full()).toBe(true);
    expect(writeFindings(log)).toEqual([
      'a (line 1, column 2)',
      'b\\nc (line 1, column 2)',
      'and at least 1 more problem',
    ]);
  });

  it('fit into an answer, whatever they say', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 3000 })), (messages) => {
        const log = openFindingLog();
        for (const message of messages) log.add(message, { line: 1, column: 1 });
        const lines = writeFindings(log);
        expect(Buffer.byteLength(lines.join('\n'))).toBeLessThan(3900);
        expect(lines.join('')).not.toMatch(/[\n\r]/);
      }),
    );
  });
});
