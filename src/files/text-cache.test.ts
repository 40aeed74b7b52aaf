import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { takeFingerprint } from './fingerprint.ts';
import { openTextCache } from './text-cache.ts';

function newFile(name: string): string {
  const path = join(tempFolder(), name);
  writeFileSync(path, name);
  return path;
}

/** As if read long after its last change. */
const LATER = Date.now() + 60_000;

it('drops the least recently used text when there is too much', () => {
  const texts = openTextCache(8);
  const files = ['one', 'two', 'six'].map(newFile) as [string, string, string];
  const [one, two, six] = files;
  for (const path of [one, two]) texts.keep(path, 'abc', takeFingerprint(path), LATER);
  expect(texts.recall(one, one)).toBe('abc');
  texts.keep(six, 'abc', takeFingerprint(six), LATER);
  expect(files.map((path) => texts.recall(path, path))).toEqual(['abc', null, 'abc']);
});

it('keeps no text of a file that was just written or has changed since', () => {
  const texts = openTextCache(100);
  const path = newFile('a');
  const print = takeFingerprint(path);
  texts.keep('k', 'a', print, print.changedAt);
  expect(texts.recall('k', path)).toBeNull();
  texts.keep('k', 'a', print, LATER);
  expect(texts.recall('k', path)).toBe('a');
  utimesSync(path, 1, 1);
  expect(texts.recall('k', path)).toBeNull();
});
