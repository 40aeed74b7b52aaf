import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { cellWidth } from '../../board/drawing/text-width.ts';
import { cutTo, row, wrapWords } from './columns.ts';

test('a text is wrapped at words, and only a word that is too long for a line is broken', () => {
  verifies('BOARD-2');
  expect(wrapWords('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrapWords('a longer-than-that b', 6)).toEqual(['a', 'longer', '-than-', 'that b']);
  expect(wrapWords('', 5)).toEqual(['']);
});

test('wide characters take two columns, and combining marks none', () => {
  verifies('BOARD-2');
  expect(cellWidth('漢字')).toBe(4);
  expect(cellWidth('e\u0301')).toBe(1);
  expect(cellWidth('🙂')).toBe(2);
  expect(wrapWords('漢字漢字', 5)).toEqual(['漢字', '漢字']);
  expect(cutTo('漢字漢字', 5)).toBe('漢字…');
  expect(cutTo('short', 5)).toBe('short');
});

test('cells stay in their columns, whatever their colours', () => {
  verifies('BOARD-2');
  const style = (text: string) => `<${text}>`;
  const cells = [
    { text: 'a b', width: 1, style },
    { text: 'right', width: 5 },
  ];
  expect(row(cells, 2)).toEqual(['  <a>  right', '  <b>']);
});
