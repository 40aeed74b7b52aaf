import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { nameByOrigin, nameOfRemote } from './origin.ts';

test.each([
  ['https://github.com/example/project.git', 'github.com/example/project'],
  ['https://user:se%40cret@GitHub.com:8443/Example/Project.git/', 'github.com/Example/Project'],
  ['https://user:odd@secret@host.example/a/b', 'host.example/a/b'],
  ['git@GitHub.com:example/project.git', 'github.com/example/project'],
  ['github.com:example/project', 'github.com/example/project'],
  ['ssh://git@host.example:2222/example/project.git', 'host.example/example/project'],
  ['ssh://git@[2001:DB8::1]:22/example/project.git', '[2001:db8::1]/example/project'],
  ['git://host.example/~user/project', 'host.example/~user/project'],
  ['file:///srv/git/project.git', '/srv/git/project'],
  ['/srv/git/project.git', '/srv/git/project'],
  ['../elsewhere/project.git', '/work/elsewhere/project'],
  // Git has these as they are written, and curl strips what is behind the file's name.
  ['https://u:pa#ss@host.example/r.git', 'host.example/r'],
  ['https://u:pa?ss@host.example/r.git', 'host.example/r'],
  ['https://host.example/r.git?token=abc', 'host.example/r'],
  ['https://host.example/r.git#abc', 'host.example/r'],
  ['https://host.example/r.git/?token=a/b', 'host.example/r'],
  ['foo::https://u:pw@host.example/r', 'host.example/r'],
  ['a::b::https://u:pw@host.example/r', 'host.example/r'],
  ['/srv/git/c#?.git', '/srv/git/c#?'],
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

test('a password in quotes, which git needs for a #, is left out', () => {
  const root = tempFolder();
  git(root, 'init', '-q');
  git(root, 'remote', 'add', 'origin', 'https://u:pa#ss@host.example/r.git');
  expect(nameByOrigin(root)).toBe('host.example/r');
});

function git(folder: string, ...args: string[]): void {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const author = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];
  execFileSync('git', [...author, ...args], { cwd: folder, env, stdio: 'pipe' });
}

test('two checkouts, a linked work tree and a folder inside are named by the same origin', () => {
  const root = tempFolder('one/packages/api', 'two');
  for (const name of ['one', 'two']) {
    git(path.join(root, name), 'init', '-q');
    git(path.join(root, name), 'remote', 'add', 'upstream', 'https://host.example/upstream');
  }
  git(path.join(root, 'one'), 'remote', 'add', 'origin', 'git@host.example:team/project.git');
  git(path.join(root, 'two'), 'remote', 'add', 'origin', 'https://me@HOST.example/team/project');
  writeFileSync(path.join(root, 'one/file'), '');
  git(path.join(root, 'one'), 'add', '.');
  git(path.join(root, 'one'), 'commit', '-qm', 'first');
  git(path.join(root, 'one'), 'worktree', 'add', '-q', path.join(root, 'linked'), '-b', 'other');
  mkdirSync(path.join(root, 'linked/packages/api'), { recursive: true });
  for (const name of ['one', 'two', 'linked']) {
    expect(nameByOrigin(path.join(root, name)), name).toBe('host.example/team/project');
  }
  for (const name of ['one', 'linked']) {
    expect(nameByOrigin(path.join(root, name, 'packages/api')), name).toBe(
      'host.example/team/project:packages/api',
    );
  }
});

test('a .git that points to a repository which does not point back gives no name', () => {
  const root = tempFolder('victim', 'file', 'link', 'borrowed');
  git(path.join(root, 'victim'), 'init', '-q');
  git(path.join(root, 'victim'), 'remote', 'add', 'origin', 'https://host.example/corp/secret');
  const victim = path.join(root, 'victim/.git');
  writeFileSync(path.join(root, 'file/.git'), `gitdir: ${victim}\n`);
  symlinkSync(victim, path.join(root, 'link/.git'));
  git(path.join(root, 'borrowed'), 'init', '-q');
  writeFileSync(path.join(root, 'borrowed/.git/commondir'), `${victim}\n`);
  for (const name of ['file', 'link', 'borrowed']) {
    expect(nameByOrigin(path.join(root, name)), name).toBeNull();
  }
});

test('a submodule is named by its own origin', () => {
  const root = tempFolder('outer/sub', 'outer/.git/modules/sub');
  const gitDir = path.join(root, 'outer/.git/modules/sub');
  writeFileSync(path.join(root, 'outer/sub/.git'), 'gitdir: ../.git/modules/sub\n');
  const remote = '[remote "origin"]\n\turl = https://host.example/team/sub.git\n';
  writeFileSync(path.join(gitDir, 'config'), `[core]\n\tworktree = ../../../sub\n${remote}`);
  expect(nameByOrigin(path.join(root, 'outer/sub'))).toBe('host.example/team/sub');
});

test('a folder without a repository, and a repository without an origin, have no name', () => {
  const root = tempFolder('bare');
  expect(nameByOrigin(root)).toBeNull();
  git(path.join(root, 'bare'), 'init', '-q');
  expect(nameByOrigin(path.join(root, 'bare'))).toBeNull();
});
