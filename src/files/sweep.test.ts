import {
  lutimesSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { openReplacer, TEMPORARY_NAME } from './replace-file.ts';
import { sweepTemporaryFiles } from './sweep.ts';

const LONG_AGO = Date.now() / 1000 - 3600;

it('removes temporary files of a killed process of ours, and no other .tmp files', () => {
  const folder = tempFolder('kept');
  const write = (name: string) => {
    writeFileSync(join(folder, name), name);
    utimesSync(join(folder, name), LONG_AGO, LONG_AGO);
  };
  const ours = '.0123456789ab-12.tmp';
  const others = [
    'draft.tmp',
    '.hidden.tmp',
    '.0123456789ab-.tmp',
    '.0123456789ab-1.tmp.txt',
    '.0123456789AB-1.tmp',
    'x.0123456789ab-1.tmp',
    '.0123456789abc-1.tmp',
  ];
  for (const name of [ours, ...others]) write(name);
  symlinkSync('draft.tmp', join(folder, '.aaaaaaaaaaaa-1.tmp'));
  lutimesSync(join(folder, '.aaaaaaaaaaaa-1.tmp'), LONG_AGO, LONG_AGO);
  mkdirSync(join(folder, '.bbbbbbbbbbbb-1.tmp'));
  utimesSync(join(folder, '.bbbbbbbbbbbb-1.tmp'), LONG_AGO, LONG_AGO);
  writeFileSync(join(folder, '.cccccccccccc-1.tmp'), 'in use');
  const before = readdirSync(folder);
  sweepTemporaryFiles(folder);
  expect(readdirSync(folder)).toEqual(before.filter((name) => name !== ours));
  sweepTemporaryFiles(join(folder, 'none'));
  // The names that the replacer uses are ours.
  const seen: string[] = [];
  openReplacer(folder).replace(join(folder, 'view.json'), 'text', () => {
    seen.push(...readdirSync(folder).filter((name) => !before.includes(name)));
    return true;
  });
  expect(seen).toEqual([expect.stringMatching(TEMPORARY_NAME)]);
});

it('writes through no link: neither one in the file\u2019s place nor a folder that became one', () => {
  const folder = tempFolder('ours', 'elsewhere');
  const outside = join(folder, 'elsewhere', 'file');
  writeFileSync(outside, 'theirs');
  const ours = join(folder, 'ours');
  symlinkSync(outside, join(ours, 'view.json'));
  let allowed = true;
  const { replace } = openReplacer(ours, () => {
    if (!allowed) throw new Error('leads elsewhere');
  });
  replace(join(ours, 'view.json'), 'text');
  allowed = false;
  expect(() => replace(join(ours, 'view.json'), 'more')).toThrow('leads elsewhere');
  expect(readdirSync(join(folder, 'elsewhere'))).toEqual(['file']);
});
