import {
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { areAllMarked, listOpenMarks, openMarks } from './open-marks.ts';

const nothing = () => {};

test('a mark is listed until it is removed, in any process', () => {
  const folder = tempFolder();
  const marks = openMarks(folder, nothing);
  expect(marks.list()).toEqual([]);
  marks.add('0123abcd');
  marks.add('0123abcd');
  expect(listOpenMarks(folder)).toEqual(['0123abcd']);
  openMarks(folder, nothing).remove('0123abcd');
  expect(marks.list()).toEqual([]);
});

test('names that are not ids do not count as sessions', () => {
  const folder = tempFolder('open');
  writeFileSync(path.join(folder, 'open', 'README'), '');
  expect(listOpenMarks(folder)).toEqual([]);
});

test('a link in the place of the folder is neither read nor written through', () => {
  const folder = tempFolder();
  const outside = tempFolder();
  writeFileSync(path.join(outside, 'aaaaaaaa'), 'precious');
  symlinkSync(outside, path.join(folder, 'open'));
  const marks = openMarks(folder, nothing);
  marks.add('0123abcd');
  marks.remove('aaaaaaaa');
  expect(marks.list()).toEqual([]);
  expect(readdirSync(outside)).toEqual(['aaaaaaaa']);
});

test('a link in the place of a mark is not written through', () => {
  const folder = tempFolder('open');
  const target = path.join(tempFolder(), 'new');
  symlinkSync(target, path.join(folder, 'open', '0123abcd'));
  openMarks(folder, nothing).add('0123abcd');
  expect(existsSync(target)).toBe(false);
});

test('no call fails if nothing can be written', () => {
  const folder = tempFolder();
  writeFileSync(path.join(folder, 'open'), 'a file');
  const refuse = () => {
    throw new Error('not here');
  };
  for (const marks of [openMarks(folder, nothing), openMarks(folder, refuse)]) {
    marks.add('0123abcd');
    marks.remove('0123abcd');
    expect(marks.list()).toEqual([]);
  }
});

test('marks are complete after setComplete, until they are deleted or streams are added in other ways', () => {
  const folder = tempFolder();
  const streams = path.join(folder, 'session');
  mkdirSync(streams);
  const marks = openMarks(folder, nothing);
  marks.add('0123abcd');
  expect(areAllMarked(folder, streams)).toBe(false);
  marks.setComplete();
  expect(areAllMarked(folder, streams)).toBe(true);
  expect(marks.list()).toEqual(['0123abcd']);
  const later = Date.now() / 1000 + 120;
  utimesSync(streams, later, later);
  expect(areAllMarked(folder, streams)).toBe(false);
  rmSync(streams, { recursive: true });
  expect(areAllMarked(folder, streams)).toBe(false);
  mkdirSync(streams);
  expect(areAllMarked(folder, streams)).toBe(true);
  rmSync(path.join(folder, 'open'), { recursive: true });
  marks.add('0123abcd');
  expect(areAllMarked(folder, streams)).toBe(false);
});

test('marks are not complete after one could not be created', () => {
  const folder = tempFolder();
  openMarks(folder, nothing).setComplete();
  const full = openMarks(folder, () => {
    throw new Error('no space left');
  });
  full.add('0123abcd');
  expect(areAllMarked(folder, folder)).toBe(false);
});
