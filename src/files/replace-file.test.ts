import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { replaceFile } from './replace-file.ts';

it('replaces shorter and longer files, and leaves nothing beside them', () => {
  const folder = tempFolder();
  const file = path.join(folder, 'view.json');
  for (const text of ['a long text', 'short', '', 'a much longer text than any before']) {
    expect(replaceFile(file, text)).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(readdirSync(folder)).toEqual(['view.json']);
  }
});

it('writes a text that comes in pieces', () => {
  const file = path.join(tempFolder(), 'view.json');
  replaceFile(file, ['one ', Buffer.from('twö '), '', 'three']);
  expect(readFileSync(file, 'utf8')).toBe('one twö three');
});

it.skipIf(process.platform === 'win32')(
  'lets no one else read the file, even if they could before',
  () => {
    const file = path.join(tempFolder(), 'view.json');
    writeFileSync(file, 'one', { mode: 0o644 });
    replaceFile(file, 'two');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  },
);

it('keeps the file if it may not be replaced', () => {
  const folder = tempFolder();
  const file = path.join(folder, 'view.json');
  writeFileSync(file, 'one');
  expect(replaceFile(file, 'two', () => false)).toBe(false);
  expect(readFileSync(file, 'utf8')).toBe('one');
  expect(readdirSync(folder)).toEqual(['view.json']);
});

it.runIf(process.platform === 'linux')('holds no file open, however many are written', () => {
  const folder = tempFolder();
  const open = () => readdirSync('/proc/self/fd').length;
  const before = open();
  for (let at = 0; at < 50; at++) replaceFile(path.join(folder, `view-${at}.json`), 'x');
  // Other parts of the process may open a file at the same time, but not fifty.
  expect(open() - before).toBeLessThan(25);
});

it('reports why nothing can be written, and leaves nothing behind', () => {
  const folder = tempFolder();
  const missing = path.join(folder, 'missing', 'view.json');
  expect(() => replaceFile(missing, 'x')).toThrow(/ENOENT/);
  writeFileSync(path.join(folder, 'there'), '');
  expect(() => replaceFile(path.join(folder, 'there', 'view.json'), 'x')).toThrow(/ENOTDIR/);
  expect(readdirSync(folder)).toEqual(['there']);
});
