import { expect, test } from 'vitest';
import { someEvent } from '../../test/support/journal-conformance.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { openFileJournal } from './file.ts';
import { type FileLayer, realFileLayer } from './file-layer.ts';
import { openFileLines } from './file-lines.ts';

const key = () => Buffer.alloc(32, 7);

test('a line that a full disk cuts off is not completed behind the line of another writer', async () => {
  const [source, target] = [tempFolder(), tempFolder()];
  const from = openFileJournal(source, { key });
  for (const seq of [0, 1]) await from.append('session/a', seq, someEvent({ seq }));
  const other = openFileJournal(target, { key });
  await other.append('session/a', 0, someEvent({ seq: 0 }));
  let isFull = true;
  const layer: FileLayer = {
    ...realFileLayer,
    async open(path, openFor) {
      const file = await realFileLayer.open(path, openFor);
      return {
        ...file,
        async write(bytes) {
          if (!isFull) return file.write(bytes);
          isFull = false;
          const written = await file.write(bytes.subarray(0, 20));
          await other.append('session/a', 1, someEvent({ other: true }));
          return written;
        },
      };
    },
  };
  const lines = openFileLines(source, { key }).lines('session/a', 1);
  const copying = openFileLines(target, { key, layer }).put('session/a', lines);
  await expect(copying).rejects.toMatchObject({ code: 'ENOSPC' });
  const seen: unknown[] = [];
  const reader = openFileJournal(target, { key });
  for await (const { data } of reader.read('session/a', 0)) seen.push(data);
  expect(seen).toEqual([{ seq: 0 }, { other: true }]);
});
