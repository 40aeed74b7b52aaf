import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { onOneLine } from '../core/wording.ts';
import { cut, nameList } from './wording.ts';

describe('quoting', () => {
  it('truncates and never splits a character', () => {
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
    expect(onOneLine('a\nb\r\t\0\u2028c\u202e')).toBe('a\\nb\\r\\t\\u0000\\u2028c\\u202e');
  });

  it('counts the names that it omits', () => {
    expect(nameList(['a', 'b'])).toBe('a, b');
    expect(nameList(['a', 'b', 'c', 'd'], 2)).toBe('a, b and 2 more');
  });
});
