// Diffs are tested with a real program: `patch` turns the first text into the second.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { diffLines } from './diff.ts';

const lines = (...numbers: number[]) => numbers.map((each) => `line ${each}\n`).join('');
const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

function unified(before: string | null, after: string | null): string {
  const shown = diffLines(before, after).map(
    ({ sign, text }) => `${sign === '@' ? '' : sign}${text}\n`,
  );
  return shown.join('');
}

const PAIRS: readonly (readonly [string, string])[] = [
  [lines(...range(1, 30)), lines(...range(1, 10), 100, ...range(11, 30))],
  [lines(...range(1, 30)), lines(...range(2, 20), ...range(22, 30), 7)],
  [lines(1, 2, 3), 'line 1\nline 2\nline 3'],
  ['{"a": 1}', '{"a": 1, "b": 2}'],
  ['a\r\nb\r\n', 'a\r\nc\r\nb\r\n'],
  ['', lines(1)],
  [lines(1, 2), ''],
];

test.each(PAIRS)('patch understands a diff (%#)', (before, after) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'deepwork-diff-'));
  try {
    writeFileSync(path.join(folder, 'file'), before);
    execFileSync('patch', ['--binary', '-s', 'file'], {
      cwd: folder,
      input: `--- file\n+++ file\n${unified(before, after)}`,
    });
    const made = path.join(folder, 'file');
    expect(after === '' ? readIfThere(made) : readFileSync(made, 'utf8')).toBe(after);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

test('a new file is shown whole, a change with three lines around it', () => {
  expect(unified(null, lines(1, 2))).toBe('@@ -0,0 +1,2 @@\n+line 1\n+line 2\n');
  expect(unified(lines(...range(1, 9)), lines(...range(1, 4), 5.5, ...range(5, 9)))).toBe(
    '@@ -2,6 +2,7 @@\n line 2\n line 3\n line 4\n+line 5.5\n line 5\n line 6\n line 7\n',
  );
});

test('texts that are too different to compare are shown one after the other', () => {
  const many = (word: string) => Array.from({ length: 3000 }, (_, i) => `${word} ${i}\n`).join('');
  const signs = diffLines(many('a'), many('b')).map(({ sign }) => sign);
  expect(signs.filter((sign) => sign === '-')).toHaveLength(3000);
  expect(signs.filter((sign) => sign === '+')).toHaveLength(3000);
});
