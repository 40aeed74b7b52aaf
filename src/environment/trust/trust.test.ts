// Trust persists, whatever else is granted at the same time.

import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { verifies } from '../../../test/verifies.ts';
import { isSameRepository } from '../git/repository-identity.ts';
import { openTrust, type Trust, type TrustedCommand } from './trust.ts';

const COMMANDS = [{ file: '/jobs/a.yml', name: 'write, tests', run: 'make test' }];

function newFolder(): string {
  const folder = tempFolder();
  return path.join(folder, 'trust.d');
}

async function trustState(trust: Trust): Promise<string> {
  return (await trust.trustState(COMMANDS)).kind;
}

test.each([
  ['another command under the same name', { run: 'make test; rm -r /' }],
  ['the same command under another name', { name: 'write, lint' }],
  ['the same command in another file', { file: '/jobs/b.yml' }],
])('%s is not what was agreed to', async (_what, other) => {
  const project = openTrust('/projects/one', false, newFolder());
  await project.grant(COMMANDS, {});
  const command = { ...(COMMANDS[0] as TrustedCommand), ...other };
  expect(await project.trustState([command])).toEqual({ kind: 'new', command });
});

test('a new command next to a trusted one is not trusted', async () => {
  verifies('JOBS-X.25');
  const project = openTrust('/projects/one', false, newFolder());
  await project.grant(COMMANDS, {});
  const command = { file: '/jobs/a.yml', name: 'write, more', run: 'true' };
  expect(await project.trustState([...COMMANDS, command])).toEqual({ kind: 'new', command });
  expect(await project.trustState([command, ...COMMANDS])).toEqual({ kind: 'new', command });
});

test('a project is the same whatever path leads to it', async () => {
  const folder = newFolder();
  const home = path.dirname(folder);
  const root = path.join(home, 'project');
  const link = path.join(home, 'link');
  mkdirSync(root);
  writeFileSync(path.join(root, 'a.yml'), '');
  symlinkSync(root, link);
  const commandIn = (place: string) => [
    { file: path.join(place, 'a.yml'), name: 'write, tests', run: 'true' },
  ];
  await openTrust(root, false, folder).grant(commandIn(root), {});
  const byLink = openTrust(link, false, folder);
  expect(await byLink.trustState(commandIn(link))).toEqual({ kind: 'trusted' });
});

test('simultaneous grants all count', async () => {
  const folder = newFolder();
  const projects = Array.from({ length: 20 }, (_, index) =>
    openTrust(`/projects/${index}`, false, folder),
  );
  await Promise.all(projects.map((project) => project.grant(COMMANDS, {})));
  const states = await Promise.all(projects.map(trustState));
  expect(new Set(states)).toEqual(new Set(['trusted']));
  expect(await trustState(openTrust('/projects/other', false, folder))).toBe('unknown');
});

test.each([
  ['broken', '{"project": '],
  ['another project’s', '{"project": "/elsewhere", "commands": []}'],
  ['of another shape', '[]'],
  ['without a repository', '{"project": "/projects/one", "commands": [], "settings": {}}'],
])('a file that is %s trusts nothing, and is kept when it is replaced', async (_what, text) => {
  const folder = newFolder();
  const project = openTrust('/projects/one', false, folder);
  await project.grant(COMMANDS, {});
  const [name = ''] = readdirSync(folder);
  writeFileSync(path.join(folder, name), text);
  expect(await trustState(project)).toBe('unknown');
  await project.grant(COMMANDS, {});
  expect(await trustState(project)).toBe('trusted');
  const [kept = ''] = readdirSync(folder).filter((each) => each !== name);
  expect(kept).toContain(`${name}.unreadable-`);
  expect(readFileSync(path.join(folder, kept), 'utf8')).toBe(text);
});

test('a password in the address of origin is not kept, and another address is another repository', async () => {
  verifies('JOBS-X.25');
  const secret = 'hunter2';
  const folder = newFolder();
  const root = path.join(path.dirname(folder), 'clone');
  mkdirSync(path.join(root, '.git'), { recursive: true });
  const cloneFrom = (url: string) =>
    writeFileSync(path.join(root, '.git/config'), `[remote "origin"]\n\turl = ${url}\n`);
  cloneFrom(`https://ada:${secret}@example.org/a.git`);
  const trust = openTrust(root, false, folder);
  await trust.grant(COMMANDS, {});
  const [name = ''] = readdirSync(folder);
  const file = path.join(folder, name);
  const text = readFileSync(file, 'utf8');
  expect([await trustState(trust), text.includes(secret)]).toEqual(['trusted', false]);

  // A record with the address itself asks again, and is replaced with nothing left of it.
  const record = JSON.parse(text);
  record.repository.origin = `https://ada:${secret}@example.org/a.git`;
  writeFileSync(file, JSON.stringify(record));
  const again = openTrust(root, false, folder);
  expect(await trustState(again)).toBe('unknown');
  await again.grant(COMMANDS, {});
  expect(await trustState(again)).toBe('trusted');
  for (const each of readdirSync(folder)) {
    expect(readFileSync(path.join(folder, each), 'utf8')).not.toContain(secret);
  }

  cloneFrom(`https://ada:${secret}@example.org/b.git`);
  const replaced = { kind: 'unknown', replaced: true };
  expect(await openTrust(root, false, folder).trustState(COMMANDS)).toEqual(replaced);
});

test('another folder, .git or origin is another repository; without birth times, inodes are enough', () => {
  const trusted = { folder: '1:100', git: '2:100', origin: 'ab12' };
  for (const [now, isSame] of [
    [{}, true],
    [{ folder: '1:200' }, false],
    [{ git: null }, false],
    [{ origin: 'cd34' }, false],
    [{ folder: '1' }, true],
    [{ folder: '3' }, false],
  ] as const) {
    expect(isSameRepository(trusted, { ...trusted, ...now })).toBe(isSame);
  }
});
