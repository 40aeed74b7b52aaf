import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keptOf, openTestJournal } from '../../test/support/journal.ts';
import { appendNext, readAll, someEvent } from '../../test/support/journal-conformance.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { verifies } from '../../test/verifies.ts';
import { openFileJournal } from './file.ts';
import { type FileLayer, realFileLayer } from './file-layer.ts';
import { type Journal, StreamDamaged, StreamForeign } from './journal.ts';

/** A stream of three events with a letter of the second altered; returns its bytes. */
async function damagedStream(folder: string, stream = 'session/a'): Promise<Buffer> {
  const writer = openTestJournal(folder);
  for (const word of ['one', 'two', 'six']) await appendNext(writer, stream, { word });
  const path = join(folder, `${stream}.jsonl`);
  fs.writeFileSync(path, fs.readFileSync(path, 'utf8').replace('"two"', '"too"'));
  return fs.readFileSync(path);
}

async function damageOf(reading: Promise<unknown>): Promise<StreamDamaged> {
  const error = await reading.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof StreamDamaged) return error;
  throw new Error(`not found damaged, but ${String(error)}`);
}

describe('a stream that this user did not write', () => {
  const STRANGER = () => Buffer.alloc(32, 'stranger');

  it('is quarantined unchanged and never read', async () => {
    const folder = tempFolder();
    const theirs = openFileJournal(folder, { key: STRANGER });
    for (const n of [1, 2, 3]) await appendNext(theirs, 'session/a', { n });
    const path = join(folder, 'session', 'a.jsonl');
    const bytes = fs.readFileSync(path);
    for (const find of [
      (journal: Journal) => readAll(journal, 'session/a'),
      (journal: Journal) => journal.append('session/a', 3, someEvent()),
    ]) {
      fs.writeFileSync(path, bytes);
      const journal = openTestJournal(folder);
      const error = await find(journal).catch((reason: unknown) => reason);
      if (!(error instanceof StreamForeign)) throw new Error(`trusted: ${String(error)}`);
      expect(error).toMatchObject({ stream: 'session/a', reason: 'key' });
      expect(error.kept).toMatch(/^quarantine\/session\.a-/);
      expect(fs.readFileSync(join(folder, error.kept))).toEqual(bytes);
      expect(await keptOf(journal, 'session/a', 'foreign')).toContain(error.kept);
      expect(await keptOf(journal, 'session/a', 'damaged')).toEqual([]);
      expect(await readAll(journal, 'session/a')).toEqual([]);
      expect(await journal.names('')).toEqual([]);
    }
    expect(fs.readdirSync(join(folder, 'quarantine'))).toHaveLength(2);
  });

  it('is damaged, not foreign, if any line of it is this user’s', async () => {
    const folder = tempFolder();
    for (const n of [1, 2, 3]) await appendNext(openTestJournal(folder), 'session/a', { n });
    const path = join(folder, 'session', 'a.jsonl');
    const lines = fs.readFileSync(path, 'utf8').split('\n');
    const theirs = openFileJournal(tempFolder(), { key: STRANGER });
    const other = await appendNext(theirs, 'session/a', { n: 4 });
    const foreign = `\t${JSON.stringify(other)}`;
    for (const text of [
      [...lines.slice(0, 3), foreign, ''],
      [foreign, ...lines.slice(0, 3), ''],
      ['\t{"altered":1}', lines[1], lines[2], ''],
    ]) {
      fs.writeFileSync(path, text.join('\n'));
      await damageOf(readAll(openTestJournal(folder), 'session/a'));
    }
  });
});

describe('a damaged stream', () => {
  const finders: [string, (journal: Journal) => Promise<unknown>][] = [
    ['reading', (journal) => readAll(journal, 'session/a')],
    ['reading its end', (journal) => readAll(journal, 'session/a', 3)],
    ['appending', (journal) => journal.append('session/a', 3, someEvent())],
  ];

  it.each(finders)('is set aside unchanged by %s, and starts over', async (_, find) => {
    verifies('JOBS-X.20');
    const folder = tempFolder();
    const bytes = await damagedStream(folder);
    const journal = openTestJournal(folder);
    const error = await damageOf(find(journal));
    expect(error).toMatchObject({ stream: 'session/a', line: 2 });
    expect(error.message).toContain("'session/a' is damaged at line 2: the text is not what");
    expect(error.kept).toMatch(/^damaged\/session\.a-\d{8}T\d{9}Z-[0-9a-f]{8}\.jsonl$/);
    expect(fs.readFileSync(join(folder, error.kept))).toEqual(bytes);
    expect(await keptOf(journal, 'session/a', 'damaged')).toEqual([error.kept]);
    expect(await keptOf(journal, 'session/b', 'damaged')).toEqual([]);

    expect(await readAll(journal, 'session/a')).toEqual([]);
    expect(await journal.version('session/a')).toBeNull();
    await appendNext(journal, 'session/a', { anew: true });
    expect(await readAll(openTestJournal(folder), 'session/a')).toHaveLength(1);
    expect(fs.readFileSync(join(folder, error.kept))).toEqual(bytes);
  });

  it('is moved once if many find it at the same time', async () => {
    for (let round = 0; round < 10; round += 1) {
      const folder = tempFolder();
      await damagedStream(folder);
      const journals = Array.from({ length: 6 }, () => openTestJournal(folder));
      const found = await Promise.allSettled(
        journals.map((journal) => readAll(journal, 'session/a')),
      );
      const names = new Set<string>();
      for (const result of found) {
        // A reader that opened the file too late finds nothing, which is correct, too.
        if (result.status === 'fulfilled') expect(result.value).toEqual([]);
        else names.add((await damageOf(Promise.reject(result.reason))).kept);
      }
      expect([...names]).toEqual(
        fs.readdirSync(join(folder, 'damaged')).map((n) => `damaged/${n}`),
      );
    }
  });

  it('is durably gone from its old place and durably at its new one', async () => {
    const folder = tempFolder();
    await damagedStream(folder);
    const done: string[] = [];
    const layer: FileLayer = {
      ...realFileLayer,
      async move(from, to) {
        await realFileLayer.move(from, to);
        done.push('moved');
      },
      async syncFolder(path) {
        await realFileLayer.syncFolder(path);
        done.push(path);
      },
    };
    await damageOf(readAll(openTestJournal(folder, layer), 'session/a'));
    const afterwards = done.slice(done.indexOf('moved') + 1);
    expect(afterwards).toEqual(
      expect.arrayContaining([join(folder, 'damaged'), join(folder, 'session')]),
    );
  });

  it('stays where it is, and is reported, if it cannot be moved', async () => {
    verifies('JOBS-X.20');
    const folder = tempFolder();
    const bytes = await damagedStream(folder);
    const readOnly = Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS' });
    const layer: FileLayer = { ...realFileLayer, move: () => Promise.reject(readOnly) };
    const journal = openTestJournal(folder, layer);
    for (let round = 0; round < 2; round += 1) {
      const error = await damageOf(readAll(journal, 'session/a'));
      expect(error.kept).toBe('session/a.jsonl');
      expect(fs.readFileSync(join(folder, error.kept))).toEqual(bytes);
    }
  });
});

describe('a good file that replaced the damaged one', () => {
  async function race(
    spoil: (folder: string, layer: FileLayer) => Promise<FileLayer>,
  ): Promise<[string, StreamDamaged]> {
    const folder = tempFolder();
    await damagedStream(folder);
    const layer = await spoil(folder, realFileLayer);
    return [folder, await damageOf(readAll(openTestJournal(folder, layer), 'session/a'))];
  }
  const startOver = async (folder: string) => {
    const other = openTestJournal(folder);
    await damageOf(readAll(other, 'session/a'));
    await appendNext(other, 'session/a', { anew: true });
  };

  it('is not moved if it was there before the move', async () => {
    let moves = 0;
    const [folder, error] = await race(async (place, layer) => ({
      ...layer,
      async open(path, openFor) {
        const file = await layer.open(path, openFor);
        if (openFor === 'reading') await startOver(place);
        return file;
      },
      move(from, to) {
        moves += 1;
        return layer.move(from, to);
      },
    }));
    expect(moves).toBe(0);
    expect(await keptOf(openTestJournal(folder), 'session/a', 'damaged')).toEqual([error.kept]);
    expect(await readAll(openTestJournal(folder), 'session/a')).toHaveLength(1);
  });

  it('is put back if it was moved by mistake', async () => {
    const [folder, error] = await race(async (place, layer) => ({
      ...layer,
      async move(from, to) {
        await startOver(place);
        await layer.move(from, to);
      },
    }));
    expect(await keptOf(openTestJournal(folder), 'session/a', 'damaged')).toEqual([error.kept]);
    expect(await readAll(openTestJournal(folder), 'session/a')).toHaveLength(1);
  });

  it('gets no late write: the writer has to decide again', async () => {
    const folder = tempFolder();
    const path = join(folder, 'team.jsonl');
    await appendNext(openTestJournal(folder), 'team', { n: 1 });
    const layer: FileLayer = {
      ...realFileLayer,
      async open(name, openFor) {
        const file = await realFileLayer.open(name, openFor);
        return {
          ...file,
          write(bytes) {
            fs.renameSync(path, join(folder, 'moved'));
            return file.write(bytes);
          },
        };
      },
    };
    const journal = openTestJournal(folder, layer);
    expect(await journal.append('team', 1, someEvent())).toEqual({ kind: 'conflict' });
    expect(await readAll(journal, 'team')).toEqual([]);
  });
});
