// Whatever a project puts where a command names a file, nothing blocks, no read is
// unbounded, and a later replacement is detected.

import { execFileSync } from 'node:child_process';
import { symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { openScriptReader } from './command-scripts.ts';

test.each<[string, (file: string) => void, unknown]>([
  ['nothing', () => {}, { 'x.sh': null }],
  ['a FIFO', (file) => execFileSync('mkfifo', [file]), { 'x.sh': null }],
  ['a link to itself', (file) => symlinkSync('x.sh', file), { 'x.sh': null }],
  ['a device', (file) => symlinkSync('/dev/zero', file), { 'x.sh': 'link to /dev/zero' }],
  [
    'a huge sparse file',
    (file) => {
      writeFileSync(file, '');
      truncateSync(file, 2 ** 40);
    },
    null,
  ],
])('%s', async (_what, put, expected) => {
  const root = tempFolder();
  put(path.join(root, 'x.sh'));
  expect(await openScriptReader(root).scriptsOf('sh x.sh')).toEqual(expected);
});

test('every edit of a file of the project is seen at once', async () => {
  const root = tempFolder();
  const reader = openScriptReader(root);
  const seen = new Set<unknown>();
  for (const text of ['one', 'two', 'six', 'one']) {
    writeFileSync(path.join(root, 'x.sh'), text);
    seen.add((await reader.scriptsOf('./x.sh; sh ../y.sh; /bin/ls'))?.['x.sh']);
  }
  expect(seen.size).toBe(3);
});
