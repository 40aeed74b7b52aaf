import { mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { openRegistry } from './registry.ts';

const server = (name: string) => ({ url: 'http://127.0.0.1:80', pass: name, launched: false });

test('only one of the servers that follow the same server can register', () => {
  const home = tempFolder();
  const registry = openRegistry(home, home);
  expect(registry.current()).toBeNull();
  const added = ['a', 'b', 'c'].map((name) => registry.add(0, server(name)));
  expect(added.map((each) => each?.number ?? null)).toEqual([1, null, null]);
  expect(registry.current()).toEqual({ number: 1, ...server('a') });
});

test('a server that read the registry long ago cannot register a number that was removed', () => {
  const home = tempFolder();
  const registry = openRegistry(home, home);
  registry.add(0, server('a'));
  registry.add(1, server('b'));
  registry.add(2, server('c'));
  expect(registry.add(0, server('late'))).toBeNull();
  expect(registry.add(1, server('late'))).toBeNull();
  expect(registry.current()).toMatchObject({ number: 3, pass: 'c' });
  // Only the last one is kept, for its owner alone.
  expect(readdirSync(registry.folder)).toEqual(['3.json']);
  expect(statSync(registry.folder).mode & 0o077).toBe(0);
  expect(statSync(path.join(registry.folder, '3.json')).mode & 0o077).toBe(0);
});

test('other files are ignored, and an invalid registration leads to no server', () => {
  const home = tempFolder();
  const registry = openRegistry(home, home);
  mkdirSync(registry.folder, { recursive: true });
  for (const name of ['0.json', '01.json', 'x.json', '9.json.bak', '7.log', 'new-1']) {
    writeFileSync(path.join(registry.folder, name), '{}');
  }
  expect(registry.current()).toBeNull();
  const file = path.join(registry.folder, '1.json');
  const url = 'http://127.0.0.1:80';
  const broken = [
    ...['', '{', '[]', 'null', '{"url":'],
    ...[7, '', 'foo:bar', 'https://127.0.0.1:80', 'http://127.0.0.1:99999'].map((bad) =>
      JSON.stringify({ url: bad, pass: 'p' }),
    ),
    ...['http://u:p@127.0.0.1:80', 'http://example.com:80', 'http://127.0.0.1:80/x'].map((bad) =>
      JSON.stringify({ url: bad, pass: 'p' }),
    ),
    ...[7, '', 'a\nb', 'x'.repeat(513)].map((pass) => JSON.stringify({ url, pass })),
  ];
  for (const text of broken) {
    writeFileSync(file, text);
    expect(registry.current(), text).toEqual({
      number: 1,
      url: '',
      pass: '',
      launched: false,
    });
  }
});

test('a folder with the name of a registration is removed like one', () => {
  const home = tempFolder();
  const registry = openRegistry(home, home);
  for (const name of ['1.json', '7.json', '7.log']) {
    mkdirSync(path.join(registry.folder, name), { recursive: true });
  }
  expect(registry.current()).toMatchObject({ number: 7, url: '' });
  expect(registry.add(0, server('a'))).toBeNull();
  expect(registry.add(7, server('a'))).toMatchObject({ number: 8 });
  expect(readdirSync(registry.folder)).toEqual(['8.json']);
});

test('unused numbers are skipped, and the highest possible number is refused', () => {
  const home = tempFolder();
  const registry = openRegistry(home, home);
  mkdirSync(registry.folder, { recursive: true });
  const put = (number: string) =>
    writeFileSync(path.join(registry.folder, `${number}.json`), JSON.stringify(server('forged')));
  put('999999999999999');
  expect(registry.current()).toBeNull();
  put('999999999');
  expect(registry.current()).toMatchObject({ number: 999_999_999 });
  expect(() => registry.add(999_999_999, server('a'))).toThrow(/Remove the folder/);
});

test('each project has its own registry', () => {
  const home = tempFolder();
  const one = mkdtempSync(path.join(home, 'one-'));
  const other = mkdtempSync(path.join(home, 'other-'));
  openRegistry(one, home).add(0, server('a'));
  expect(openRegistry(other, home).current()).toBeNull();
});
