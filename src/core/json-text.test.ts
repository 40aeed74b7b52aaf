import { expect, test } from 'vitest';
import { toJsonText } from './json-text.ts';

test.each([
  '\u007f',
  '\u009b31m',
  '\u2028\u2029',
  '\u202e',
  '\u2066\u2069',
  '\u061c\u200e\u200f',
  '\u200b\u{e0041}',
])('%j is printed without characters that a terminal obeys, and stays the same value', (text) => {
  const value = { [text]: [text, `Größe – 数 ❤\ufe0f ${text}`] };
  for (const indent of [undefined, 2]) {
    const printed = toJsonText(value, indent);
    expect(printed).not.toContain(text);
    expect(JSON.parse(printed)).toEqual(value);
  }
});

test('other text is as JSON.stringify writes it', () => {
  const value = { a: ['Größe – 数\n\u001b', 1, null, true] };
  expect(toJsonText(value)).toBe(JSON.stringify(value));
  expect(toJsonText(value, 2)).toBe(JSON.stringify(value, null, 2));
});
