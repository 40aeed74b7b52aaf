import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openTestJournal } from '../../test/support/journal.ts';
import { appendNext } from '../../test/support/journal-conformance.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { watchFolder } from './watch-folder.ts';

// The writer is another journal on the same folder: only the files connect it with the
// watching one, as if it were in another process.

function watching(folder: string, prefix = '') {
  const told = vi.fn();
  onTestFinished(openTestJournal(folder).watch(prefix, told));
  return told;
}

/** The limit is for what never happens. */
const soon = { timeout: 60_000, interval: 20 };

it('continues after the folder is removed and created again', async () => {
  const folder = join(tempFolder(), 'journal');
  const writer = openTestJournal(folder);
  await appendNext(writer, 'session/a');
  const told = watching(folder);
  fs.rmSync(folder, { recursive: true });
  await appendNext(writer, 'session/b');
  await vi.waitFor(() => expect(told).toHaveBeenCalledWith('session/b'), soon);
  told.mockClear();
  await appendNext(writer, 'session/b');
  await vi.waitFor(() => expect(told).toHaveBeenCalledWith('session/b'), soon);
});

it('reports many simultaneous changes once', async () => {
  const folder = tempFolder();
  const told = watching(folder);
  fs.mkdirSync(join(folder, 'session'));
  for (let n = 0; n < 500; n += 1) fs.appendFileSync(join(folder, 'session', 'a.jsonl'), '\n');
  await vi.waitFor(() => expect(told).toHaveBeenCalledWith('session/a'), soon);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(told.mock.calls.length).toBeLessThan(10);
});

it('does not report files that are not streams or were set aside', async () => {
  const folder = tempFolder();
  const told = watching(folder);
  fs.mkdirSync(join(folder, 'damaged'));
  fs.writeFileSync(join(folder, 'damaged', 'a.jsonl'), '');
  fs.writeFileSync(join(folder, 'notes.txt'), '');
  fs.writeFileSync(join(folder, 'last.jsonl'), '');
  await vi.waitFor(() => expect(told).toHaveBeenCalledWith('last'), soon);
  expect(told.mock.calls).toEqual([['last']]);
});

it('compares versions if a folder cannot be watched', async () => {
  const folder = tempFolder();
  let listed = [{ stream: 'f300/a', version: '1' }];
  for (let n = 0; n < 300; n += 1) fs.mkdirSync(join(folder, `f${n}`));
  const told = vi.fn();
  const list = async function* () {
    yield* listed;
  };
  onTestFinished(watchFolder(folder, list, told));
  await vi.waitFor(() => expect(told).toHaveBeenCalledWith('f300/a'), soon);
  told.mockClear();
  listed = [{ stream: 'f300/a', version: '2' }];
  await vi.waitFor(() => expect(told).toHaveBeenCalledWith('f300/a'), soon);
  told.mockClear();
  listed = [];
  await vi.waitFor(() => expect(told).toHaveBeenCalledWith('f300/a'), soon);
});
