// A quarantined stream that a person takes over: durable before it has the stream's name.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTestJournal } from '../../test/support/journal.ts';
import { appendNext, readAll } from '../../test/support/journal-conformance.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { openFileJournal } from './file.ts';
import { type FileLayer, realFileLayer } from './file-layer.ts';
import { listQuarantined, reclaim } from './reclaim-stream.ts';

const KEY = Buffer.alloc(32, 'mine');

test('a stream is on the disk before it gets its name, and its folder after that', async () => {
  const folder = tempFolder();
  const theirs = openFileJournal(folder, { key: () => Buffer.alloc(32, 'stranger') });
  for (const n of [1, 2]) await appendNext(theirs, 'session/a', { n });
  await readAll(openTestJournal(folder), 'session/a').catch(() => {});
  const [item] = await listQuarantined(folder);
  if (item === undefined) throw new Error(`nothing quarantined: ${readdirSync(folder)}`);
  const done: string[] = [];
  const layer: FileLayer = {
    ...realFileLayer,
    async open(path, openFor) {
      const file = await realFileLayer.open(path, openFor);
      const sync = () => {
        if (openFor === 'making') done.push('sync');
        return file.sync();
      };
      return { ...file, sync };
    },
    link(from, to) {
      done.push('link');
      return realFileLayer.link(from, to);
    },
    syncFolder(path) {
      done.push('sync folder');
      return realFileLayer.syncFolder(path);
    },
  };
  expect(await reclaim(folder, item, KEY, layer)).toEqual({ kind: 'taken over', events: 2 });
  expect(done.slice(done.indexOf('link') - 1, done.indexOf('link') + 2)).toEqual([
    'sync',
    'link',
    'sync folder',
  ]);
  expect(await reclaim(folder, item, KEY, layer)).toMatchObject({ kind: 'damaged' });
  expect(readdirSync(join(folder, 'session'))).toEqual(['a.jsonl']);
});
