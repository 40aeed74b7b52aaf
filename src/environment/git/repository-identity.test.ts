import { expect, test } from 'vitest';
import { isSameRepository } from './repository-identity.ts';

const TRUSTED = { folder: '1:100', git: '2:100', origin: 'ab12' };

test('another folder, another .git or another origin is another repository', () => {
  expect(isSameRepository(TRUSTED, { ...TRUSTED })).toBe(true);
  expect(isSameRepository(TRUSTED, { ...TRUSTED, folder: '1:200' })).toBe(false);
  expect(isSameRepository(TRUSTED, { ...TRUSTED, git: null })).toBe(false);
  expect(isSameRepository(TRUSTED, { ...TRUSTED, origin: 'cd34' })).toBe(false);
});

test('in a file system without birth times, the inode is enough', () => {
  expect(isSameRepository(TRUSTED, { ...TRUSTED, folder: '1' })).toBe(true);
  expect(isSameRepository(TRUSTED, { ...TRUSTED, folder: '3' })).toBe(false);
});
