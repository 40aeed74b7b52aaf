import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffLines, withGaps } from './line-diff.ts';

const words = (before: string, after: string) =>
  diffLines(before, after).map(
    ({ kind, text }) => `${{ same: ' ', removed: '-', added: '+' }[kind]}${text}`,
  );

test('removed and added lines are found among the unchanged ones', () => {
  expect(words('a\nb\nc\nd', 'a\nc\nx\nd')).toEqual([' a', '-b', ' c', '+x', ' d']);
  expect(words('', 'a')).toEqual(['-', '+a']);
  expect(words('same', 'same')).toEqual([' same']);
});

test('both texts can be rebuilt from any diff, with their line numbers', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 });
  fc.assert(
    fc.property(text, text, (a, b) => {
      const lines = diffLines(a.join('\n'), b.join('\n'));
      const without = (kind: string) => lines.filter((line) => line.kind !== kind);
      expect(
        without('added')
          .map((line) => line.text)
          .join('\n'),
      ).toBe(a.join('\n'));
      expect(
        without('removed')
          .map((line) => line.text)
          .join('\n'),
      ).toBe(b.join('\n'));
      expect(without('removed').map((line) => line.line)).toEqual(
        without('removed').map((_, index) => index + 1),
      );
    }),
  );
});

test('two large texts are not compared line by line, but shown as replaced', () => {
  const text = (own: string, lines: number) =>
    Array.from({ length: lines }, (_, i) => (i === 100 ? 'common' : `${own}${i}`)).join('\n');
  const kinds = (lines: number) =>
    new Set(diffLines(text('a', lines), text('b', lines)).map(({ kind }) => kind));
  expect(kinds(1000)).toEqual(new Set(['removed', 'same', 'added']));
  expect(kinds(5000)).toEqual(new Set(['removed', 'added']));
});

test('equal parts far from a change are left out and counted', () => {
  const before = Array.from({ length: 30 }, (_, i) => `${i}`);
  const after = before.map((text) => (text === '15' ? 'changed' : text));
  const shown = withGaps(diffLines(before.join('\n'), after.join('\n')));
  expect(shown[0]).toEqual({ kind: 'gap', lines: 12 });
  expect(shown.at(-1)).toEqual({ kind: 'gap', lines: 11 });
  expect(shown).toHaveLength(10);
});
