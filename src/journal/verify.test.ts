import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openTestJournal, TEST_KEY } from '../../test/support/journal.ts';
import { appendNext, readAll } from '../../test/support/journal-conformance.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { verifyStream } from './verify.ts';

async function threeEvents(): Promise<{ folder: string; path: string; hash: string | undefined }> {
  const folder = tempFolder();
  const journal = openTestJournal(folder);
  for (let n = 1; n <= 3; n += 1) await appendNext(journal, 'session/a', { n });
  const hash = (await readAll(journal, 'session/a')).at(-1)?.hash;
  return { folder, path: join(folder, 'session', 'a.jsonl'), hash };
}

it('counts accepted and void lines', async () => {
  const { folder, path, hash } = await threeEvents();
  const first = fs.readFileSync(path, 'utf8').split('\n')[0];
  fs.appendFileSync(path, `${first}\n\n\t{"torn`);
  expect(await verifyStream(folder, 'session/a', TEST_KEY)).toEqual({
    identity: expect.any(String),
    stream: 'session/a',
    events: 3,
    voids: 2,
    hash,
    lines: 5,
    bytes: fs.statSync(path).size - 7,
    lastAt: expect.any(String),
    unfinished: 7,
    damage: null,
    foreign: false,
  });
});

it('reports the first damage and changes nothing', async () => {
  const { folder, path } = await threeEvents();
  const altered = fs.readFileSync(path, 'utf8').replace('"n":2', '"n":7');
  fs.writeFileSync(path, altered);
  const verified = await verifyStream(folder, 'session/a', TEST_KEY);
  expect(verified).toMatchObject({ events: 1, damage: { line: 2 } });
  expect(fs.readFileSync(path, 'utf8')).toBe(altered);
  expect(fs.readdirSync(folder).sort()).toEqual(['.gitignore', 'session']);
});
