import {
  linkSync,
  mkdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { tempFolder } from '../../test/support/temp-folder.ts';
import {
  changedTooRecently,
  changesUnseen,
  isFile,
  isFolder,
  NOTHING,
  sameFingerprint,
  takeFingerprint,
} from './fingerprint.ts';

test.each([
  ['long ago', 5001, 9000, false],
  ['a moment ago', 5001, 5015, true],
  ['more than a tick ago', 5001, 5030, false],
  ['at a full second, by a clock that may count in seconds', 5000, 5030, true],
  ['at a full second, longer ago than any clock counts', 5000, 7600, false],
  ['in the future', 9001, 5000, true],
])('a file that was changed %s', (_when, changedAt, readAt, tooRecently) => {
  expect(changedTooRecently({ changedAt }, readAt)).toBe(tooRecently);
});

it('stays the same for an untouched file, and differs for its replacement', () => {
  const file = join(tempFolder(), 'a');
  expect(takeFingerprint(file)).toBe(NOTHING);
  writeFileSync(file, 'text');
  const first = takeFingerprint(file);
  expect(first.kind).toBe('present');
  expect(changesUnseen(first)).toBe(false);
  expect(sameFingerprint(first, takeFingerprint(file))).toBe(true);
  expect(takeFingerprint(join(file, 'below'))).toEqual({ ...NOTHING, code: 'ENOTDIR' });
  rmSync(file);
  expect(sameFingerprint(first, takeFingerprint(file))).toBe(false);
  writeFileSync(file, 'longer');
  expect(sameFingerprint(first, takeFingerprint(file))).toBe(false);
});

it('differs after an edit that restores the size and the time of the file', async () => {
  const file = join(tempFolder(), 'a');
  const long = new Date('2020-01-01T00:00:00Z');
  const edit = (text: string) => {
    writeFileSync(file, text);
    utimesSync(file, long, long);
  };
  edit('good');
  const before = takeFingerprint(file);
  const { ctimeMs } = statSync(file);
  // The clock of the file system may need a while to tick.
  while (statSync(file).ctimeMs === ctimeMs) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    edit('evil');
  }
  expect(sameFingerprint(before, takeFingerprint(file))).toBe(false);
});

it('shows the target of a link, and that a link is broken', () => {
  const folder = tempFolder();
  const [one, two, link] = ['one', 'two', 'link'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  symlinkSync(one, link);
  const dangling = takeFingerprint(link);
  expect(dangling).toMatchObject({ kind: 'absent', stats: null });
  expect(dangling.link).not.toBeNull();
  expect(sameFingerprint(dangling, NOTHING)).toBe(false);
  mkdirSync(two);
  symlinkSync(two, one);
  const through = takeFingerprint(link);
  expect([isFolder(through), isFile(through)]).toEqual([true, false]);
  expect(through.link).toContain(two);
  expect([dangling, through].map(changesUnseen)).toEqual([true, true]);
  rmSync(one);
  symlinkSync(one, one);
  expect(takeFingerprint(link)).toMatchObject({ kind: 'failed', code: 'ELOOP' });
});

it('reports that a file with two names can change unseen', () => {
  const file = join(tempFolder(), 'a');
  writeFileSync(file, 'text');
  linkSync(file, `${file}2`);
  expect(changesUnseen(takeFingerprint(file))).toBe(true);
});
