// Whatever a project puts where a command names a file, nothing blocks, no read is
// unbounded, and a later replacement is detected.

import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { openScriptReader } from './command-scripts.ts';

const at = (root: string) => path.join(root, 'x.sh');

test.each<[string, (root: string) => void, unknown]>([
  ['nothing', () => {}, { 'x.sh': null }],
  ['a folder', (root) => mkdirSync(at(root)), { 'x.sh': null }],
  ['a FIFO', (root) => execFileSync('mkfifo', [at(root)]), { 'x.sh': null }],
  ['a link to nothing', (root) => symlinkSync('gone', at(root)), { 'x.sh': null }],
  ['a link to itself', (root) => symlinkSync('x.sh', at(root)), { 'x.sh': null }],
  [
    'a link out of the project',
    (root) => symlinkSync('/etc/hostname', at(root)),
    { 'x.sh': expect.stringMatching(/^link to \//) },
  ],
  ['a device', (root) => symlinkSync('/dev/zero', at(root)), { 'x.sh': 'link to /dev/zero' }],
  [
    'a huge sparse file',
    (root) => {
      writeFileSync(at(root), '');
      truncateSync(at(root), 2 ** 40);
    },
    null,
  ],
  ['a file', (root) => writeFileSync(at(root), 'x'), { 'x.sh': expect.stringMatching(/^\w{64}$/) }],
])('%s', async (_what, put, expected) => {
  const root = tempFolder();
  put(root);
  expect(await openScriptReader(root).scriptsOf('sh x.sh')).toEqual(expected);
});

test('a file outside the project is not a file of the project', async () => {
  expect(await openScriptReader(tempFolder()).scriptsOf('sh ../x.sh; /bin/ls')).toEqual({});
});

test('every edit is seen at once', async () => {
  const root = tempFolder();
  const reader = openScriptReader(root);
  const seen = new Set<unknown>();
  for (const text of ['one', 'two', 'six', 'one']) {
    writeFileSync(at(root), text);
    seen.add((await reader.scriptsOf('./x.sh'))?.['x.sh']);
  }
  expect(seen.size).toBe(3);
});
