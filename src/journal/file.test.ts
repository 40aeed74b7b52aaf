import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openTestJournal } from '../../test/support/journal.ts';
import {
  appendNext,
  describeJournal,
  readAll,
  someEvent,
} from '../../test/support/journal-conformance.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { verifies } from '../../test/verifies.ts';
import { type FileLayer, realFileLayer } from './file-layer.ts';

describeJournal('in files', async () => openTestJournal(join(tempFolder(), 'deep', 'journal')));

describe('the files', () => {
  it('are created with the first event, ignored by git', async () => {
    const folder = join(tempFolder(), 'journal');
    const journal = openTestJournal(folder);
    await readAll(journal, 'session/a');
    await journal.append('session/a', 1, someEvent());
    expect(fs.existsSync(folder)).toBe(false);
    await appendNext(journal, 'session/a');
    expect(fs.readdirSync(folder).sort()).toEqual(['.gitignore', 'session']);
    expect(fs.readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('*\n!.gitignore\n');
    expect(fs.readdirSync(join(folder, 'session'))).toEqual(['a.jsonl']);
  });

  it('may be removed under a running journal', async () => {
    const folder = join(tempFolder(), 'journal');
    const journal = openTestJournal(folder);
    for (let round = 0; round < 3; round += 1) {
      await appendNext(journal, 'session/a', { round });
      await appendNext(journal, 'session/a', { round });
      fs.rmSync(folder, { recursive: true });
      expect(await readAll(journal, 'session/a')).toEqual([]);
      expect(await journal.append('session/a', 2, someEvent())).toEqual({ kind: 'conflict' });
    }
  });
});

describe('anything but a regular file', () => {
  const places: [string, (path: string) => void][] = [
    ['a FIFO', (path) => execFileSync('mkfifo', [path])],
    ['a folder', (path) => fs.mkdirSync(path)],
    ['a link to a file', (path) => linkToFile(path)],
    ['a dangling link', (path) => fs.symlinkSync(`${path}-nowhere`, path)],
  ];
  const target = (path: string) => join(dirname(path), 'target.txt');

  function linkToFile(path: string): void {
    fs.writeFileSync(target(path), 'precious');
    fs.symlinkSync(target(path), path);
  }

  it.each(places)('is refused and left alone: %s', async (_, place) => {
    verifies('JOBS-X.20');
    const folder = tempFolder();
    const path = join(folder, 'team.jsonl');
    place(path);
    const journal = openTestJournal(folder);
    const before = fs.readdirSync(folder).sort();
    await expect(readAll(journal, 'team')).rejects.toThrow('not a regular file');
    await expect(journal.append('team', 0, someEvent())).rejects.toThrow('not a regular file');
    expect(await journal.version('team')).toBeNull();
    expect(fs.readdirSync(folder).sort()).toEqual(before);
    if (fs.existsSync(target(path))) expect(fs.readFileSync(target(path), 'utf8')).toBe('precious');
  });

  it('is not followed as a folder of streams either', async () => {
    const folder = tempFolder();
    const outside = tempFolder();
    fs.writeFileSync(join(outside, 'a.jsonl'), 'precious');
    fs.symlinkSync(outside, join(folder, 'session'));
    const journal = openTestJournal(folder);
    await expect(readAll(journal, 'session/a')).rejects.toThrow('is not a folder');
    for (const stream of ['session/a', 'session/b', 'session/c/d']) {
      await expect(journal.append(stream, 0, someEvent())).rejects.toThrow('is not a folder');
    }
    expect(fs.readdirSync(outside)).toEqual(['a.jsonl']);
  });
});

describe('durability', () => {
  function record(log: string[]): FileLayer {
    const base = (path: string) => path.split('/').at(-1) ?? '';
    return {
      ...realFileLayer,
      async open(path, openFor) {
        const file = await realFileLayer.open(path, openFor);
        return {
          ...file,
          write(bytes) {
            log.push(`write ${base(path)}`);
            return file.write(bytes);
          },
          async sync() {
            await file.sync();
            log.push(`sync ${base(path)}`);
          },
        };
      },
      async syncFolder(path) {
        await realFileLayer.syncFolder(path);
        log.push(`sync ${base(path)}`);
      },
    };
  }

  it('covers every name on the path before the first event, and only then', async () => {
    const log: string[] = [];
    const journal = openTestJournal(join(tempFolder(), 'up', 'journal'), record(log));
    await appendNext(journal, 'session/a');
    const top = log.filter((entry) => entry.includes('deepwork-test-'));
    expect(top).toHaveLength(1);
    expect(log).toEqual([
      'write .gitignore',
      'sync session',
      'sync journal',
      'sync up',
      ...top,
      'write a.jsonl',
      'sync a.jsonl',
    ]);
    log.length = 0;
    await appendNext(journal, 'session/a');
    expect(log).toEqual(['write a.jsonl', 'sync a.jsonl']);
    log.length = 0;
    await appendNext(journal, 'session/b');
    expect(log).toEqual(['sync session', 'write b.jsonl', 'sync b.jsonl']);
  });

  it('is not promised of a line that went into a file which was replaced', async () => {
    const folder = tempFolder();
    const path = join(folder, 'team.jsonl');
    await appendNext(openTestJournal(folder), 'team');
    const copy = fs.readFileSync(path);
    const layer: FileLayer = {
      ...realFileLayer,
      async open(path, openFor) {
        const file = await realFileLayer.open(path, openFor);
        const replace = () => {
          fs.writeFileSync(`${path}.copy`, copy);
          fs.renameSync(`${path}.copy`, path);
        };
        return { ...file, write: (bytes) => file.write(bytes).finally(replace) };
      },
    };
    const appended = await openTestJournal(folder, layer).append('team', 1, someEvent());
    expect(appended).toEqual({ kind: 'conflict' });
    expect(await readAll(openTestJournal(folder), 'team')).toHaveLength(1);
  });

  it('is awaited before the append is reported', async () => {
    const folder = tempFolder();
    let release = () => {};
    const synced = new Promise<void>((resolve) => {
      release = resolve;
    });
    const layer: FileLayer = {
      ...realFileLayer,
      async open(path, openFor) {
        const file = await realFileLayer.open(path, openFor);
        return { ...file, sync: () => synced };
      },
    };
    let told = false;
    const appending = openTestJournal(folder, layer)
      .append('team', 0, someEvent())
      .then(() => {
        told = true;
      });
    const reader = openTestJournal(folder);
    while ((await readAll(reader, 'team')).length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(told).toBe(false);
    release();
    await appending;
    expect(told).toBe(true);
  });
});

describe('the memory of how far a file was folded', () => {
  function count(reads: number[]): FileLayer {
    return {
      ...realFileLayer,
      async open(path, openFor) {
        const file = await realFileLayer.open(path, openFor);
        return {
          ...file,
          read(into, position) {
            reads.push(position);
            return file.read(into, position);
          },
        };
      },
    };
  }

  it('saves reading again what was read before', async () => {
    const folder = tempFolder();
    const reads: number[] = [];
    const journal = openTestJournal(folder, count(reads));
    const ends: number[] = [];
    for (let n = 0; n < 50; n += 1) {
      await journal.append('team', n, someEvent({ n }));
      ends.push(fs.statSync(join(folder, 'team.jsonl')).size);
    }
    expect(reads).toEqual([0, ...ends.slice(0, -1)]);
    // From the start, one event back, a few back, and too far back to be remembered.
    for (const [seq, start] of [
      [50, ends[49]],
      [49, ends[48]],
      [40, ends[39]],
      [10, 0],
    ] as const) {
      reads.length = 0;
      expect(await readAll(journal, 'team', seq)).toHaveLength(50 - seq);
      expect(reads[0]).toBe(start);
    }
  });
});
