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
