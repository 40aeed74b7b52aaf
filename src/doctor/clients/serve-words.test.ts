// Which `deepwork serve` commands of clients' files doctor tries, and which it refuses.

import { expect, test } from 'vitest';
import { readServeWords } from './serve-words.ts';

const root = import.meta.dirname;

test.each([
  [[], []],
  [['--path', '.'], []],
  [['--path=.'], []],
  [['--path', root], []],
  [
    ['--agent', 'a', '--tools=jobs'],
    ['--agent=a', '--tools=jobs'],
  ],
])('%j is tried', (given, more) => {
  expect(readServeWords(['serve', ...given], root)).toEqual({
    kind: 'plain',
    args: ['serve', `--path=${root}`, ...more],
  });
});

test.each([
  [['--trust'], '--trust'],
  [['--transport', 'http'], '--transport'],
  [['--transport=http'], '--transport'],
  [['--transport', 'stdio'], '--transport'],
  [['--port=1'], '--port'],
  [['--host', '0.0.0.0'], '--host'],
  [['--no-quality-gate'], '--no-quality-gate'],
  [['--quality-gate=./evil.sh'], '--quality-gate'],
  [['--external-runner=claude'], '--external-runner'],
  [['--launched-after=1'], '--launched-after'],
  [['-h'], '-h'],
  [['--path', '/'], '--path /'],
  [['--path=sub'], '--path sub'],
  [['--path=.', '--path=..'], '--path ..'],
  [['--path'], '--path without a value'],
  [['--agent', '--trust'], '--agent'],
  [['--', '--trust'], "'--trust'"],
  [['elsewhere'], "'elsewhere'"],
])('%j is refused by name', (given, named) => {
  const read = readServeWords(['serve', ...given], root);
  expect(read).toMatchObject({ kind: 'refused' });
  expect(read.kind === 'refused' && read.why).toContain(named);
});

test('another command is refused', () => {
  expect(readServeWords(['trust', '--yes'], root)).toMatchObject({ kind: 'refused' });
  expect(readServeWords([], root)).toMatchObject({ kind: 'refused' });
});
