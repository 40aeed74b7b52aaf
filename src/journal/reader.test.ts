// Reading without changing anything: damaged, foreign or incomplete files are reported and stay.

import { appendFileSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { treeOf } from '../../test/board/support.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { verifies } from '../../test/verifies.ts';
import { openFileJournal } from './file.ts';
import type { StoredEvent } from './journal.ts';
import { openJournalReader, type ReadPlace } from './reader.ts';

const KEY = Buffer.alloc(32, 1);
const STREAM = 'session/00000001';

async function written(count: number, folder = tempFolder()) {
  const journal = openFileJournal(folder, { key: () => KEY });
  for (let seq = 0; seq < count; seq++) await journal.append(STREAM, seq, event(seq));
  return { folder, journal, file: path.join(folder, `${STREAM}.jsonl`) };
}

const event = (number: number) => ({
  type: 'happened',
  at: '2026-01-01T00:00:00.000Z',
  data: { number },
});

/** A reader that records its place and what it received. */
function follower(folder: string, key: Buffer | null = KEY) {
  const reader = openJournalReader(folder, { key: () => key });
  let place: ReadPlace | null = null;
  let seen: StoredEvent[] = [];
  let restarts = 0;
  return {
    reader,
    seqs: () => seen.map(({ seq }) => seq),
    restarts: () => restarts,
    async read() {
      const result = await reader.readOn(STREAM, {
        place,
        restart() {
          restarts += 1;
          seen = [];
        },
        take: (each) => void seen.push(each),
      });
      if (result.kind === 'read') ({ place } = result);
      return result;
    },
  };
}

test('reading continues where it stopped, and changes no byte', async () => {
  verifies('BOARD-2');
  const { folder, journal } = await written(3);
  const one = follower(folder);
  expect((await one.read()).kind).toBe('read');
  expect(one.seqs()).toEqual([1, 2, 3]);
  await journal.append(STREAM, 3, event(3));
  const before = treeOf(folder);
  await one.read();
  expect(one.seqs()).toEqual([1, 2, 3, 4]);
  expect(one.restarts()).toBe(0);
  expect(treeOf(folder)).toEqual(before);
});

test('an incomplete line is left for the next read', async () => {
  verifies('BOARD-2');
  const { folder, file, journal } = await written(1);
  const whole = await (async () => {
    await journal.append(STREAM, 1, event(1));
    return readFileSync(file);
  })();
  const first = whole.indexOf('\n') + 1;
  writeFileSync(file, whole.subarray(0, first + 20));
  const one = follower(folder);
  expect(await one.read()).toMatchObject({ kind: 'read' });
  expect(one.seqs()).toEqual([1]);
  appendFileSync(file, whole.subarray(first + 20));
  await one.read();
  expect(one.seqs()).toEqual([1, 2]);
});

test('another file under the same name is read from the start', async () => {
  verifies('BOARD-2');
  const { folder, file } = await written(3);
  const other = await written(2);
  const one = follower(folder);
  await one.read();
  renameSync(other.file, file);
  await one.read();
  expect([one.restarts(), one.seqs()]).toEqual([1, [1, 2]]);
});

test('damage is reported with its line, also after lines that were read before', async () => {
  verifies('BOARD-2');
  const { folder, file } = await written(3);
  const one = follower(folder);
  await one.read();
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('"number":1', '"number":7'));
  expect(await one.read()).toEqual({ kind: 'damaged', why: expect.stringMatching(/^line 2: /) });
  appendFileSync(file, 'nonsense\n');
  expect(await follower(folder).read()).toMatchObject({ kind: 'damaged' });
  expect(readFileSync(file, 'utf8')).toContain('nonsense');
});

test('files of another user are not trusted, nor is any file while there is no key', async () => {
  verifies('BOARD-2');
  const { folder } = await written(2);
  const why = expect.stringContaining('this user did not write it here');
  for (const key of [Buffer.alloc(32, 2), null]) {
    const before = treeOf(folder);
    const one = follower(folder, key);
    expect(await one.read()).toEqual({ kind: 'damaged', why });
    expect(one.seqs()).toEqual([]);
    expect(treeOf(folder)).toEqual(before);
  }
});

test('a link in the place of a folder or a stream is not followed', async () => {
  verifies('BOARD-2');
  const elsewhere = await written(1);
  const folder = tempFolder();
  symlinkSync(path.join(elsewhere.folder, 'session'), path.join(folder, 'session'));
  const one = follower(folder);
  expect(await one.read()).toEqual({ kind: 'missing' });
  expect(await one.reader.namesIn('session', new Set())).toEqual([]);
  const own = await written(1);
  renameSync(own.file, `${own.file}.old`);
  symlinkSync(elsewhere.file, own.file);
  expect(await follower(own.folder).read()).toMatchObject({ kind: 'damaged' });
});
