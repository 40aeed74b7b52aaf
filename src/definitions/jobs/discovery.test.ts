import { mkdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { openFolderListing } from './discovery.ts';

test('a folder of jobs is listed again while another job in it could leave the same time', () => {
  const folder = tempFolder();
  mkdirSync(join(folder, 'job'));
  // As on a disk whose clock is ahead, or does not tick between two changes.
  const ahead = new Date(Date.now() + 3_600_000);
  utimesSync(folder, ahead, ahead);
  const list = openFolderListing();
  const before = list(folder, []);
  expect(before.map(({ name }) => name)).toEqual(['job']);
  expect(list(folder, [])).not.toBe(before);
});
