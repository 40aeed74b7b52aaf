// Others may write between the read of the file and its replacement: their text stays.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tempFolder } from '../../test/support/temp-folder.ts';
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

test('an untouched file is replaced', async () => {
  const { replaced, text } = await replaceWhile(() => {});
  expect([replaced, text]).toEqual([true, String(OURS)]);
});

test('a file that was written in place is not replaced', async () => {
  const { replaced, text } = await replaceWhile((file) => writeFileSync(file, '{"theirs": 2}\n'));
  expect([replaced, text]).toEqual([false, '{"theirs": 2}\n']);
});

test('a file that was renamed into place is not replaced', async () => {
  const { replaced, text } = await replaceWhile((file) => {
    writeFileSync(`${file}.new`, '{"theirs": 3}\n');
    renameSync(`${file}.new`, file);
  });
  expect([replaced, text]).toEqual([false, '{"theirs": 3}\n']);
});

test('a file of more values than can be parsed at once counts as unreadable', () => {
  const file = (values: number) => Buffer.from(`{"theirs": [${'1,'.repeat(values)}1]}`);
  expect(lookAt(file(100_000))).not.toBeNull();
  expect(lookAt(file(250_000))).toBeNull();
});

test('a file that stays unreadable is waited for, but parsed only once', async () => {
  const file = join(tempFolder('.sgai'), '.sgai/state.json');
  const deep = 100_000;
  const text = `{"theirs": ${'['.repeat(deep)}${']'.repeat(deep)}}`;
  writeFileSync(file, text);
  const parse = vi.spyOn(JSON, 'parse');
  onTestFinished(() => parse.mockRestore());
  const stateFile = openStateFile(file);
  const began = performance.now();
  await expect(stateFile.read()).rejects.toThrow('Could not read state.json');
  expect(performance.now() - began).toBeGreaterThan(900);
  expect(parse.mock.calls.filter(([parsed]) => parsed === text)).toHaveLength(1);
});
