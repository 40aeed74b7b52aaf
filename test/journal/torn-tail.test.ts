// A line torn at every possible length: it never counts, is never reported as damage, and the next
// event follows right after it.

import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkEvent, writeLine } from '../../src/journal/line.ts';
import { verifyStream } from '../../src/journal/verify.ts';
import { openTestJournal, TEST_KEY, testSeal } from '../support/journal.ts';
import { appendNext, readAll, someEvent } from '../support/journal-conformance.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';

it('is skipped at every length', async () => {
  verifies('JOBS-X.18', 'JOBS-X.20');
  const folder = tempFolder();
  const path = join(folder, 'team.jsonl');
  const first = await appendNext(openTestJournal(folder), 'team', { n: 1 });
  const before = fs.readFileSync(path);
  const { bytes } = writeLine(
    checkEvent(someEvent({ text: 'tört', o: {} })),
    2,
    first.hash,
    testSeal(),
  );

  for (let length = 0; length < bytes.length; length += 1) {
    fs.writeFileSync(path, Buffer.concat([before, bytes.subarray(0, length)]));
    const journal = openTestJournal(folder);
    expect(await readAll(journal, 'team')).toHaveLength(1);
    expect(await verifyStream(folder, 'team', TEST_KEY)).toMatchObject({
      unfinished: length,
      damage: null,
    });
    const result = await journal.append('team', 1, someEvent({ n: 2 }));
    expect(result.kind).toBe('appended');
    const events = await readAll(openTestJournal(folder), 'team');
    expect(events.map((event) => event.data)).toEqual([{ n: 1 }, { n: 2 }]);
  }
  expect(fs.existsSync(join(folder, 'damaged'))).toBe(false);
});

it('is read to its end by a reader that saw only a part of it', async () => {
  const folder = tempFolder();
  const path = join(folder, 'team.jsonl');
  const journal = openTestJournal(folder);
  const first = await appendNext(journal, 'team', { n: 1 });
  const { bytes } = writeLine(checkEvent(someEvent({ n: 2 })), 2, first.hash, testSeal());
  const seen: number[] = [];
  for (const byte of bytes) {
    fs.appendFileSync(path, Buffer.from([byte]));
    seen.push((await readAll(journal, 'team', 1)).length);
  }
  expect(seen.slice(0, -1).every((count) => count === 0)).toBe(true);
  expect(seen.at(-1)).toBe(1);
});
