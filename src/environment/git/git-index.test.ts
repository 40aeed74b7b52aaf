import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { newRepository } from '../../../test/support/repository.ts';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { isTracked, openGitIndex } from './git-index.ts';

test.each(['2', '4'])(
  'in an index of version %s, what git tracks came with a clone',
  async (form) => {
    const root = tempFolder();
    const { git } = newRepository(root);
    const folder = path.join(root, '.deepwork/journal');
    mkdirSync(folder, { recursive: true });
    const file = path.join(folder, 'team.jsonl');
    const ask = openGitIndex(folder);
    const came = () => {
      const bytes = readFileSync(file);
      const read = async (into: Buffer, at: number) => bytes.copy(into, 0, at, at + into.length);
      return ask(file, { read });
    };
    writeFileSync(file, 'tracked\n');
    expect(await came()).toBe(false);
    git('add', '--force', '.');
    git('update-index', '--index-version', form);
    expect([await came(), await isTracked(folder, file)]).toEqual([true, true]);
    writeFileSync(file, 'tracked\nand appended to\n');
    expect(await came()).toBe(true);
    writeFileSync(file, 'another file has its name\n');
    expect(await came()).toBe(false);
    for (const text of ['', 'DIRC', `DIRC\0\0\0\x02\0\0\xff\xff`]) {
      writeFileSync(path.join(root, '.git/index'), text, 'latin1');
      expect(await came()).toBe(false);
    }
  },
);
