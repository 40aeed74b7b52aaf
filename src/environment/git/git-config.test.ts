// Config files are read as git reads them; git itself says how.

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { firstConfigValue } from './git-config.ts';

const read = (text: string) => firstConfigValue(text, 'remote.origin', 'url');

test.each([
  '[remote "origin"]\n\turl = https://host/r.git\n',
  '[remote "origin"]\r\n\turl = https://host/r.git\r\n',
  '[remote "origin"]\n\turl = "https://u:pa#ss@host.com/r.git"\n',
  '[remote "origin"] url = a ; a comment\n',
  '[REMOTE "origin"]\nURL=a#b\n',
  '[remote "Origin"]\nurl = a\n[remote "origin"]\nurl = b\n',
  '[remote.origin]\nurl = a\n',
  '[remote "o\\rigin"]\nurl = a\n',
  '[remote "origin"]\nurl = "a  "  b  \n',
  '[remote "origin"]\nurl = a \\\n  b\n',
  '[remote "origin"]\nurl = a\\\\b\\"c\\td\n',
  '[a]\nb = x \\\n[remote "origin"]\nurl = no\n[remote "origin"]\nurl = yes\n',
  '[remote "origin"]\n; url = no\n# url = no\npushurl = no\nurl = yes # no',
])('%j is read like git', (text) => {
  const file = path.join(tempFolder(), 'config');
  writeFileSync(file, text);
  const git = execFileSync('git', ['config', '--file', file, 'remote.origin.url'], {
    encoding: 'utf8',
    stdio: 'pipe',
  });
  expect(read(text)).toBe(git.replace(/\n$/, ''));
});

test.each(['', '[remote "origin"]\n', '[remote "origin"]\nurl\n', '[remote "other"]\nurl = a\n'])(
  '%j has none',
  (text) => {
    expect(read(text)).toBeNull();
  },
);
