import { copyFileSync, existsSync, renameSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openTestJournal, TEST_KEY } from '../../test/support/journal.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { realFileLayer } from '../journal/file-layer.ts';
import { type ReadStream, sourceInFiles } from './prune-source.ts';

test('a file that has replaced the archived one stays', async () => {
  const folder = tempFolder();
  const journal = openTestJournal(folder);
  const source = sourceInFiles(folder, TEST_KEY, realFileLayer);
  const event = { type: 'noted', at: '2026-01-01T00:00:00.000Z', data: {} };
  const read: ReadStream[] = [];
  for (const stream of ['session/a', 'session/b']) {
    await journal.append(stream, 0, event);
    read.push((await source.read(stream, () => {})) as ReadStream);
  }
  const [, file = ''] = ['a', 'b'].map((name) => path.join(folder, `session/${name}.jsonl`));
  copyFileSync(file, `${file}.copy`);
  renameSync(`${file}.copy`, file);
  await source.remove(read);
  expect(await source.names('session/')).toEqual(['session/b']);
  expect(existsSync(file)).toBe(true);
});
