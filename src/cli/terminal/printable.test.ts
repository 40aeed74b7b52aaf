// Text for a terminal shows every character that it contains.

import { expect, test } from 'vitest';
import { printable, printableLine } from './printable.ts';

test.each([
  ['\u001b[2J', '\\u001b[2J'],
  ['a\rb', 'a\\u000db'],
  ['ye\u200bs', 'ye\\u200bs'],
  ['\u200c\u200d\u200e\u200f', '\u200c\u200d\\u200e\\u200f'],
  ['\u061cx\ufeff', '\\u061cx\\ufeff'],
  ['\u2028\u2029\u202a\u202e', '\\u2028\\u2029\\u202a\\u202e'],
  ['\u2060\u2064\u2066\u2069', '\\u2060\\u2064\\u2066\\u2069'],
  ['Größe – 数\tx\ny', 'Größe – 数\tx\ny'],
])('%j is shown as %j', (text, shown) => {
  expect(printable(text)).toBe(shown);
});

test('text for one line stays on one line', () => {
  expect(printableLine('true\n\n\u200brm')).toBe('true↵↵\\u200brm');
});

test('a long run of blanks hides nothing', () => {
  const line = `npm test${' '.repeat(3000)}; touch x${'\n\t\u3000'.repeat(10)}#`;
  expect(printableLine(line)).toBe('npm test [3000 blanks] ; touch x [30 blanks] #');
  expect(printableLine('a    b\nc')).toBe('a    b↵c');
});

test('zero-width characters of every plane are shown', () => {
  expect(printable('yes\u00ad\u3164\u{e0041}')).toBe('yes\\u00ad\\u3164\\u{e0041}');
  expect(printable('❤\ufe0f क्\u200dष')).toBe('❤\ufe0f क्\u200dष');
});
