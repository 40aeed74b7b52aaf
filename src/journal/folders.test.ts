import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openTestJournal } from '../../test/support/journal.ts';
import { appendNext } from '../../test/support/journal-conformance.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';

const textIn = (folder: string) => readFileSync(join(folder, '.gitignore'), 'utf8');

it('is ignored by git from its first event on, and writes the ignore file once', async () => {
  const folder = tempFolder();
  for (let process = 1; process <= 3; process++) {
    await appendNext(openTestJournal(folder), 'team', { process });
    await appendNext(openTestJournal(folder), `session/${process}`, { process });
  }
  expect(textIn(folder)).toBe('*\n!.gitignore\n');
});

it('fills an empty ignore file, and keeps one with other content', async () => {
  for (const [found, after] of [
    ['', '*\n!.gitignore\n'],
    ['mine\n', 'mine\n'],
  ] as const) {
    const folder = tempFolder();
    writeFileSync(join(folder, '.gitignore'), found);
    await appendNext(openTestJournal(folder), 'team', {});
    expect(textIn(folder)).toBe(after);
  }
});
