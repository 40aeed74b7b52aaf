// Others may write between the read of the file and its replacement: their text stays.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { verifies } from '../../test/verifies.ts';
import { lookAt, openStateFile } from './state-file.ts';

const OURS = Buffer.from('{"status": "working"}\n');

/** `meanwhile` runs after the file was found unchanged and before the rename. */
async function replaceWhile(meanwhile: (file: string) => void) {
  const folder = join(tempFolder(), '.sgai');
  const file = join(folder, 'state.json');
  mkdirSync(folder);
  writeFileSync(file, '{"theirs": 1}\n');
  let checks = Number.NaN;
  const stateFile = openStateFile(file, () => {
    checks += 1;
    if (checks === 2) meanwhile(file);
  });
  const before = await stateFile.read();
  checks = 0;
  const after = { ...(lookAt(OURS) as NonNullable<ReturnType<typeof lookAt>>), bytes: OURS };
  const replaced = stateFile.replace(before, after, () => {});
  expect(checks).toBeGreaterThanOrEqual(2);
  return { replaced, text: readFileSync(file, 'utf8') };
}

test.each<[string, (file: string) => void, boolean, string]>([
  ['untouched', () => {}, true, String(OURS)],
  ['written in place', (file) => writeFileSync(file, '{"theirs": 2}\n'), false, '{"theirs": 2}\n'],
  [
    'renamed into place',
    (file) => {
      writeFileSync(`${file}.new`, '{"theirs": 3}\n');
      renameSync(`${file}.new`, file);
    },
    false,
    '{"theirs": 3}\n',
  ],
])('a file that was %s is replaced only if it is as it was read', async (_how, ...given) => {
  verifies('TEAM-40');
  const [meanwhile, isReplaced, kept] = given;
  const { replaced, text } = await replaceWhile(meanwhile);
  expect([replaced, text]).toEqual([isReplaced, kept]);
});

test('a file that stays unreadable is parsed only once, and one of too many values not at all', async () => {
  verifies('TEAM-41');
  const file = join(tempFolder('.sgai'), '.sgai/state.json');
  const deep = 100_000;
  const text = `{"theirs": ${'['.repeat(deep)}${']'.repeat(deep)}}`;
  writeFileSync(file, text);
  const parse = vi.spyOn(JSON, 'parse');
  onTestFinished(() => parse.mockRestore());
  await expect(openStateFile(file).read()).rejects.toThrow('Could not read state.json');
  expect(parse.mock.calls.filter(([parsed]) => parsed === text)).toHaveLength(1);
  const many = (values: number) => Buffer.from(`{"theirs": [${'1,'.repeat(values)}1]}`);
  expect([100_000, 250_000].map((values) => lookAt(many(values)) === null)).toEqual([false, true]);
});
