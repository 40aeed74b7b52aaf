import fc from 'fast-check';
import { expect, test } from 'vitest';
import { containsText, countCodePoints } from './text.ts';

test('finds what includes() finds, in long texts too', () => {
  const word = fc.constantFrom('a', 'ab', 'aab', 'b', '😀');
  const piece = fc.array(word, { maxLength: 12 }).map((words) => words.join(''));
  // The repetition makes text and wanted long enough for our own search.
  fc.assert(
    fc.property(piece, piece, fc.boolean(), (unit, tail, cut) => {
      const text = `${unit.repeat(400)}${tail}${unit.repeat(400)}`;
      const wanted = `${unit.repeat(390)}${tail}${cut ? 'b' : ''}`;
      expect(containsText(text, wanted)).toBe(text.includes(wanted));
    }),
    { numRuns: 300 },
  );
});

test('short searches find what includes() finds', () => {
  expect(containsText('abc', '')).toBe(true);
  expect(containsText('abc', 'bc')).toBe(true);
  expect(containsText('abc', 'abcd')).toBe(false);
  expect(containsText('', '')).toBe(true);
});

test('a search that takes V8 minutes ends', () => {
  const half = 'a'.repeat(125_000);
  const text = 'a'.repeat(5_000_000);
  expect(containsText(text, `${half}b${half}`)).toBe(false);
  expect(containsText(`${text}b${half}`, `${half}b${half}`)).toBe(true);
});

test('code points are counted as when iterating a string', () => {
  const unit = fc.constantFrom('a', '😀', '\ud83d', '\ude00', 'é', '\u0301');
  fc.assert(
    fc.property(fc.array(unit), (units) => {
      const text = units.join('');
      expect(countCodePoints(text)).toBe([...text].length);
    }),
    { numRuns: 2000 },
  );
});
