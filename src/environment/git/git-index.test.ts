// Real repositories, in every form of index that git writes.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { isTracked, openGitIndex } from './git-index.ts';

interface Place {
  readonly root: string;
  readonly folder: string;
  git(...args: string[]): string;
  write(name: string, text: string): string;
}

function newPlace(...init: string[]): Place {
  const root = tempFolder();
  const place = placeIn(root);
  place.git('init', '--quiet', '--template=', '--initial-branch', 'trunk', ...init);
  return place;
}

function placeIn(root: string): Place {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  return {
    root,
    folder: path.join(root, 'sub/.deepwork/journal'),
    git,
    write(name, text) {
      const file = path.join(root, 'sub/.deepwork/journal', name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    },
  };
}

/** The content as the journal reads it. */
function contentOf(file: string) {
  const bytes = readFileSync(file);
  return {
    read: async (into: Buffer, position: number) =>
      bytes.copy(into, 0, position, position + into.length),
  };
}

const cameWithClone = ({ folder }: Place, file: string) =>
  openGitIndex(folder)(file, contentOf(file));

/**
 * Neighbours by name, so that a compressed name depends on the previous one. They are alike: git
 * would write an object for each content.
 */
function fill({ root, write }: Place): string {
  for (let n = 0; n < 60; n += 1) writeFileSync(path.join(root, `file-${n}.txt`), 'alike');
  write('session/0a0a0a09.jsonl', 'before');
  write('session/0a0a0a0b.jsonl', 'after');
  return write('session/0a0a0a0a.jsonl', 'tracked\n');
}

describe('a file that git tracks', () => {
  test.each([
    ['version 2', [], ['update-index', '--index-version', '2']],
    ['version 3', [], ['add', '--intent-to-add', 'untracked.txt']],
    ['version 4', [], ['update-index', '--index-version', '4']],
    ['a split index', [], ['update-index', '--split-index']],
    ['sha256', ['--object-format=sha256'], ['status']],
  ])(
    'is found in an index of %s, as long as it begins with the content git recorded',
    async (_, init, form) => {
      const place = newPlace(...init);
      const file = fill(place);
      place.git('add', '--force', '.');
      writeFileSync(path.join(place.root, 'untracked.txt'), 'x');
      place.git(...form);
      expect(await cameWithClone(place, file)).toBe(true);
      expect(await isTracked(place.folder, file)).toBe(true);
      writeFileSync(file, 'tracked\nand appended to\n');
      expect(await cameWithClone(place, file)).toBe(true);
      writeFileSync(file, 'another file has its name\n');
      expect(await cameWithClone(place, file)).toBe(false);
      const other = place.write('session/0a0a0a0c.jsonl', 'tracked\n');
      expect(await cameWithClone(place, other)).toBe(false);
      expect(await isTracked(place.folder, other)).toBe(false);
    },
  );

  test('is found in a clone and in a worktree', async () => {
    const origin = newPlace();
    const name = path.relative(origin.folder, fill(origin));
    origin.git('add', '--force', '.');
    origin.git('commit', '--quiet', '--message', 'all');
    const [clone, tree] = [placeIn(`${origin.root}-clone`), placeIn(`${origin.root}-tree`)];
    onTestFinished(() => {
      for (const { root } of [clone, tree]) rmSync(root, { recursive: true, force: true });
    });
    origin.git('clone', '--quiet', origin.root, clone.root);
    origin.git('worktree', 'add', '--quiet', '--detach', tree.root);
    for (const place of [clone, tree]) {
      expect(await cameWithClone(place, path.join(place.folder, name))).toBe(true);
    }
  });
});

describe('a file that git does not track', () => {
  test('did not come with a clone, whatever the index looks like', async () => {
    const place = newPlace();
    const file = place.write('team/log.jsonl', 'own\n');
    expect(await cameWithClone(place, file)).toBe(false);
    const index = path.join(place.root, '.git/index');
    for (const text of ['', 'DIRC', 'rubbish'.repeat(100), `DIRC\0\0\0\x02\0\0\xff\xff`]) {
      writeFileSync(index, text, 'latin1');
      expect(await cameWithClone(place, file)).toBe(false);
    }
    rmSync(index);
    execFileSync('mkfifo', [index]);
    expect(await cameWithClone(place, file)).toBe(false);
    rmSync(path.join(place.root, '.git'), { recursive: true });
    expect(await cameWithClone(place, file)).toBe(false);
  });

  test('did not come with a clone, and an index whose names keep growing is not read to its end', async () => {
    const place = newPlace();
    const file = place.write('team/log.jsonl', 'own\n');
    const count = 2000;
    const entry = (dropped: number, rest: string) =>
      Buffer.concat([Buffer.alloc(62), Buffer.from([dropped]), Buffer.from(`${rest}\0`)]);
    const header = Buffer.from('DIRC\0\0\0\x04\0\0\0\0', 'latin1');
    header.writeUInt32BE(count, 8);
    const first = entry(0, 'a'.repeat(1_000_000));
    const others = Array.from({ length: count - 1 }, () => entry(1, 'b'));
    writeFileSync(path.join(place.root, '.git/index'), Buffer.concat([header, first, ...others]));
    const join = vi.spyOn(Buffer, 'concat');
    expect(await cameWithClone(place, file)).toBe(false);
    const joined = join.mock.calls.length;
    join.mockRestore();
    // Reading the file may put its chunks together; each name would be one more.
    expect(joined).toBeLessThan(100);
  });

  test('is looked up again when the index has changed', async () => {
    const place = newPlace();
    const file = place.write('team/log.jsonl', 'own\n');
    const ask = openGitIndex(place.folder);
    expect(await ask(file, contentOf(file))).toBe(false);
    place.git('add', '--force', '.');
    expect(await ask(file, contentOf(file))).toBe(true);
    place.git('rm', '--quiet', '--cached', '-r', '.');
    expect(await ask(file, contentOf(file))).toBe(false);
  });
});
