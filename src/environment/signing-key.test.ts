// All processes of a user share one key, whichever creates it first.

import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { formsKey, journalKey } from './signing-key.ts';

const newFile = () => path.join(tempFolder(), 'own', 'signing.key');

test('a key is created once, readable only by its owner, and signs for one purpose only', () => {
  const file = newFile();
  const key = formsKey(file);
  expect(key).toHaveLength(32);
  expect(formsKey(file)).toEqual(key);
  expect(readFileSync(file)).toHaveLength(32);
  expect(readFileSync(file)).not.toEqual(key);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
  expect(formsKey(newFile())).not.toEqual(key);
  expect(journalKey(file)).toHaveLength(32);
  expect(journalKey(file)).toEqual(journalKey(file));
  expect(journalKey(file)).not.toEqual(key);
});

test('if no key can be stored, forms get one for this process and the journal is refused', () => {
  const file = newFile();
  writeFileSync(path.dirname(file), 'in the way');
  expect(formsKey(file)).toHaveLength(32);
  expect(formsKey(file)).not.toEqual(formsKey(file));
  expect(() => journalKey(file)).toThrow(`Cannot store the key that signs the journal, ${file}`);
});

test.each<[string, (file: string) => void]>([
  ['a pipe', (file) => execFileSync('mkfifo', [file])],
  ['a folder', (file) => mkdirSync(file)],
  ['a link to somewhere else', (file) => symlinkSync('/dev/zero', file)],
  ['half a key', (file) => writeFileSync(file, 'short')],
  ['more than a key', (file) => writeFileSync(file, Buffer.alloc(33))],
])('%s in its place is named and left alone', (_what, make) => {
  const file = newFile();
  mkdirSync(path.dirname(file));
  make(file);
  for (const key of [formsKey, journalKey]) {
    expect(() => key(file)).toThrow(`${file} is not a key`);
  }
  expect(readdirSync(path.dirname(file))).toEqual(['signing.key']);
});
