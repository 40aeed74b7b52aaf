import { symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { newRepository } from '../../../test/support/repository.ts';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { nameByOrigin, nameOfRemote } from './origin.ts';

test.each([
  ['https://github.com/example/project.git', 'github.com/example/project'],
  ['https://user:se%40cret@GitHub.com:8443/Example/Project.git/', 'github.com/Example/Project'],
  ['https://user:odd@secret@host.example/a/b', 'host.example/a/b'],
  ['git@GitHub.com:example/project.git', 'github.com/example/project'],
  ['ssh://git@[2001:DB8::1]:22/example/project.git', '[2001:db8::1]/example/project'],
  ['git://host.example/~user/project', 'host.example/~user/project'],
  ['file:///srv/git/project.git', '/srv/git/project'],
  ['/srv/git/c#?.git', '/srv/git/c#?'],
  ['../elsewhere/project.git', '/work/elsewhere/project'],
  // Git has these as they are written, and curl strips what is behind the file's name.
  ['https://u:pa#ss@host.example/r.git', 'host.example/r'],
  ['https://u:pa?ss@host.example/r.git', 'host.example/r'],
  ['https://host.example/r.git/?token=a/b', 'host.example/r'],
  ['https://host.example/r.git#abc', 'host.example/r'],
  ['a::b::https://u:pw@host.example/r', 'host.example/r'],
  ['https://host.example/', null],
  ['https://host.example/.git', null],
])('%s is named %s', (url, name) => {
  expect(nameOfRemote(url, '/work/checkout')).toBe(name);
});

test.each([
  'https://u:secret/ss@host.example/r.git',
  'https://u:secret%40host.example/r.git',
  'https://host.example:secret/r.git',
  'https://host.example?token=secret/r.git',
  'u:secret@host.example/r.git',
  'https://host.example/foo::https://u:secret@host.example/r',
  'https://host.example/secret@2/r.git',
  'https://host.example/a\nsecret',
])('%j may have a password in it, so its name is a hash', (url) => {
  const name = nameOfRemote(url, '/work/checkout');
  expect(name).toMatch(/^origin-[0-9a-f]{32}$/);
  expect(nameOfRemote(url, '/work/checkout')).toBe(name);
  expect(nameOfRemote(url.replace('secret', 'other'), '/work/checkout')).not.toBe(name);
});

test('the user, the port and the scheme do not change a hash', () => {
  const name = nameOfRemote('https://host.example/@team/r.git', '/');
  expect(name).toMatch(/^origin-/);
  expect(nameOfRemote('ssh://git@HOST.example:22/@team/r', '/')).toBe(name);
});

test('two checkouts, a linked work tree and a folder inside are named by the same origin', () => {
  const root = tempFolder('one/packages/api', 'two', 'bare', 'none');
  const at = (name: string) => path.join(root, name);
  const one = newRepository(at('one'));
  one.git('remote', 'add', 'upstream', 'https://host.example/upstream');
  one.git('remote', 'add', 'origin', 'git@host.example:team/project.git');
  // Git writes it in quotes, because of the #.
  newRepository(at('two')).git(
    'remote',
    'add',
    'origin',
    'https://u:p#w@HOST.example/team/project',
  );
  one.git('commit', '-q', '--allow-empty', '-m', 'first');
  one.git('worktree', 'add', '-q', at('linked'), '-b', 'other');
  for (const name of ['one', 'two', 'linked']) {
    expect(nameByOrigin(at(name)), name).toBe('host.example/team/project');
  }
  expect(nameByOrigin(at('one/packages/api'))).toBe('host.example/team/project:packages/api');
  newRepository(at('bare'));
  expect([nameByOrigin(at('bare')), nameByOrigin(at('none'))]).toEqual([null, null]);
});

test('a .git that points to a repository which does not point back gives no name', () => {
  const root = tempFolder('victim', 'file', 'link', 'borrowed');
  const { git } = newRepository(path.join(root, 'victim'));
  git('remote', 'add', 'origin', 'https://host.example/corp/secret');
  const victim = path.join(root, 'victim/.git');
  writeFileSync(path.join(root, 'file/.git'), `gitdir: ${victim}\n`);
  symlinkSync(victim, path.join(root, 'link/.git'));
  newRepository(path.join(root, 'borrowed'));
  writeFileSync(path.join(root, 'borrowed/.git/commondir'), `${victim}\n`);
  for (const name of ['file', 'link', 'borrowed']) {
    expect(nameByOrigin(path.join(root, name)), name).toBeNull();
  }
});
