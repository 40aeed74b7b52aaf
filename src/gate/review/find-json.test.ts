import { expect, test } from 'vitest';
import { fencedOrWhole } from './find-json.ts';

/** The specification, as a backtracking pattern. */
function byPattern(text: string): string {
  const last = [...text.matchAll(/```json\s*\n([\s\S]*?)```/g)].at(-1);
  const after = last === undefined ? '' : text.slice(last.index + last[0].length);
  return last?.[1] !== undefined && !after.includes('"passed"') ? last[1] : text;
}

test('the last fenced block is the answer, unless a verdict follows it', () => {
  const block = (text: string) => `\`\`\`json\n${text}\n\`\`\``;
  expect(fencedOrWhole('{"passed":true}')).toBe('{"passed":true}');
  expect(fencedOrWhole(`I say: ${block('1')} and ${block('2')} bye`)).toBe('2\n');
  const quoted = `${block('1')} {"passed": false}`;
  expect(fencedOrWhole(quoted)).toBe(quoted);
});

test('the scanner finds what the pattern finds, in random texts of marks and spaces', () => {
  const pieces = ['```', '```json', '`', '\n', ' ', '\t\n', 'x', '{"passed"', '\r\n'];
  let seed = 7;
  const next = () => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed;
  };
  for (let round = 0; round < 20_000; round++) {
    const length = next() % 12;
    const text = Array.from({ length }, () => pieces[next() % pieces.length]).join('');
    expect(fencedOrWhole(text), JSON.stringify(text)).toBe(byPattern(text));
  }
});
