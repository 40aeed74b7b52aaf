import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { openReplacer } from './replace-file.ts';

const temporary = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.tmp'));

it('replaces shorter and longer files, also if no temporary file was made ahead', async () => {
  const folder = tempFolder();
  const file = path.join(folder, 'view.json');
  const { replace } = openReplacer(folder);
  for (const text of ['a long text', 'short', '', 'a much longer text than any before']) {
    replace(file, text);
    replace(file, text);
    expect(readFileSync(file, 'utf8')).toBe(text);
    await expect.poll(() => temporary(folder)).toHaveLength(1);
  }
});

it.skipIf(process.platform === 'win32')(
  'lets no one else read the file, even if they could before',
  () => {
    const folder = tempFolder();
    const file = path.join(folder, 'view.json');
    writeFileSync(file, 'one', { mode: 0o644 });
    openReplacer(folder).replace(file, 'two');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  },
);

it.runIf(process.platform === 'linux')(
  'holds open no more than a few files, however many are written',
  async () => {
    const folder = tempFolder();
    const { replace } = openReplacer(folder);
    const open = () => readdirSync('/proc/self/fd').length;
    const before = open();
    for (let at = 0; at < 50; at++) replace(path.join(folder, `view-${at}.json`), 'x');
    await expect.poll(() => open() - before).toBeLessThanOrEqual(2);
  },
);

it('reports why nothing can be written, and leaves nothing behind', () => {
  const folder = tempFolder();
  const { replace } = openReplacer(path.join(folder, 'missing'));
  expect(() => replace(path.join(folder, 'missing', 'view.json'), 'x')).toThrow(/ENOENT/);
  writeFileSync(path.join(folder, 'there'), '');
  const inside = openReplacer(folder);
  expect(() => inside.replace(path.join(folder, 'there', 'view.json'), 'x')).toThrow(/ENOTDIR/);
  expect(readdirSync(folder)).toEqual(['there']);
});
