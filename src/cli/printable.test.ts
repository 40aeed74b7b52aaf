// What a terminal is given shows everything that is in it.

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

test('a text for one line stays on it', () => {
  expect(printableLine('true\n\n\u200brm')).toBe('true↵↵\\u200brm');
});
