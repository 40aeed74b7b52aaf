import { expect, test } from 'vitest';
import { cellsOf, cellWidth, graphemes } from './text-width.ts';

test('plain characters take one cell each and join no other, as the segmenter says', () => {
  const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
  const ranges = [
    [0x20, 0x7e],
    [0xa1, 0xac],
    [0xae, 0x24f],
    [0x2010, 0x2027],
    [0x2190, 0x21ff],
    [0x2500, 0x25fc],
  ] as const;
  const all = ranges.flatMap(([from, to]) =>
    Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at)),
  );
  const text = [...all, ...all.toReversed()].join('');
  const segments = Array.from(segmenter.segment(text), ({ segment }) => segment);
  expect(graphemes(text)).toEqual(segments);
  expect(all.filter((each) => cellsOf(each) !== 1)).toEqual([]);
  expect(cellWidth(text)).toBe(segments.length);
});

test('other characters are measured by what is seen', () => {
  expect(cellWidth('日本')).toBe(4);
  expect(cellWidth('e\u0301')).toBe(1);
  expect(cellWidth('👩‍👩‍👧')).toBe(2);
  expect(cellWidth('a\u00adb')).toBe(2);
  expect(graphemes('ne\u0301e')).toEqual(['n', 'e\u0301', 'e']);
});
