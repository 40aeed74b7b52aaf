import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openRegistry } from './registry.ts';

function aHome(): string {
  const home = mkdtempSync(path.join(os.tmpdir(), 'deepwork-registry-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

const server = (name: string) => ({ url: `http://${name}`, instance: name, pass: 'secret' });

test('of those that come after the same server, one is first', () => {
  const home = aHome();
  const registry = openRegistry(home, home);
  expect(registry.current()).toBeNull();
  const added = ['a', 'b', 'c'].map((name) => registry.add(0, server(name)));
  expect(added.map((each) => each?.number ?? null)).toEqual([1, null, null]);
  expect(registry.current()).toEqual({ number: 1, ...server('a') });
});

test('a later one takes over, and what it replaced is cleared away', () => {
  const home = aHome();
  const registry = openRegistry(home, home);
  registry.add(0, server('a'));
  registry.add(1, server('b'));
  expect(registry.current()).toMatchObject({ number: 2, instance: 'b' });
  expect(readdirSync(registry.folder)).toEqual(['2.json']);
});

test('whoever looked long ago does not come back with a number that was cleared', () => {
  const home = aHome();
  const registry = openRegistry(home, home);
  registry.add(0, server('a'));
  registry.add(1, server('b'));
  registry.add(2, server('c'));
  expect(registry.add(0, server('late'))).toBeNull();
  expect(registry.add(1, server('late'))).toBeNull();
  expect(registry.current()).toMatchObject({ number: 3, instance: 'c' });
  expect(readdirSync(registry.folder)).toEqual(['3.json']);
});

test('only the owner can read it', () => {
  const home = aHome();
  const registry = openRegistry(home, home);
  registry.add(0, server('a'));
  expect(statSync(registry.folder).mode & 0o077).toBe(0);
  expect(statSync(path.join(registry.folder, '1.json')).mode & 0o077).toBe(0);
});

test('other files are no registrations, and a broken one reaches nobody', () => {
  const home = aHome();
  const registry = openRegistry(home, home);
  mkdirSync(registry.folder, { recursive: true });
  for (const name of ['0.json', '01.json', 'x.json', '9.json.bak', '7.log', 'new-1']) {
    writeFileSync(path.join(registry.folder, name), '{}');
  }
  expect(registry.current()).toBeNull();
  writeFileSync(path.join(registry.folder, '4.json'), '{"url":');
  expect(registry.current()).toMatchObject({ number: 4, url: '' });
});

test('each project has its own', () => {
  const home = aHome();
  const one = mkdtempSync(path.join(home, 'one-'));
  const other = mkdtempSync(path.join(home, 'other-'));
  openRegistry(one, home).add(0, server('a'));
  expect(openRegistry(other, home).current()).toBeNull();
});
