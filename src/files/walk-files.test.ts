import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { openWalk } from './walk-files.ts';

const PATTERN = {
  ignores: /^\./,
  enters: () => true,
  wants: (name: string) => name === 'SKILL.md',
  anyKind: false,
};

test('a link to a file or folder outside the root is not followed', () => {
  const [root, outside] = [tempFolder(), tempFolder()];
  mkdirSync(join(root, 'own'));
  for (const folder of [join(root, 'own'), outside]) writeFileSync(join(folder, 'SKILL.md'), 'x');
  symlinkSync(join(root, 'own'), join(root, 'inside'));
  symlinkSync(outside, join(root, 'out'));
  symlinkSync(join(outside, 'SKILL.md'), join(root, 'SKILL.md'));
  const { files, folders } = openWalk(root, PATTERN, () => null)();
  expect(files.map(({ path }) => path)).toEqual(['inside/SKILL.md', 'own/SKILL.md']);
  expect(folders.map(({ path }) => path)).not.toContain(join(root, 'out'));
});

test('a file that lies deeper than is looked is not left out in silence', () => {
  const root = tempFolder();
  const deep = (depth: number) => join(root, ...Array.from({ length: depth }, () => 'd'));
  mkdirSync(deep(15), { recursive: true });
  writeFileSync(join(deep(15), 'SKILL.md'), 'x');
  const walk = openWalk(root, PATTERN, () => null);
  expect([walk().files.length, walk().cut]).toEqual([1, false]);
  mkdirSync(deep(16));
  expect([walk().files.length, walk().cut]).toEqual([1, true]);
});

test('a listing is not conclusive while another file could leave the folder with the same time', () => {
  const root = tempFolder();
  const walk = openWalk(root, PATTERN, () => null);
  // As on a disk whose clock is ahead, or does not tick between two changes.
  const ahead = new Date(Date.now() + 3_600_000);
  utimesSync(root, ahead, ahead);
  expect(walk()).toMatchObject({ files: [], conclusive: false });
});
