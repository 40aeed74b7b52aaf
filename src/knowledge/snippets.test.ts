import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { knowledgeOf, page, tempProject } from '../../test/support/knowledge.ts';
import { verifies } from '../../test/verifies.ts';

const ROOT = '.deepwork/snippets';
const NONE = 'No matching snippets.';

function snippetsOf(files: Readonly<Record<string, string>>) {
  const project = tempProject(
    Object.fromEntries(Object.entries(files).map(([path, text]) => [`${ROOT}/${path}`, text])),
  );
  const { snippets } = knowledgeOf(project);
  return { project, find: (language = '', query = '') => snippets.find(language, query) };
}

it('tries its rules in order', async () => {
  verifies('TEAM-36');
  const { find } = snippetsOf({
    'go/http-server.go': page({ description: 'Serves Pages' }, 'serve'),
    'go/http-client.go': page({ description: 'Fetches pages', name: 'not used' }, 'fetch'),
    'go/http.go': page({}, 'both'),
    'rust/http.rs': 'rusty',
    'go/deeper/ignored.go': 'x',
    'not-a-snippet.md': 'x',
  });
  const two = 'http-client: Fetches pages\nhttp-server: Serves Pages';
  expect(await find()).toBe('go\nrust');
  expect(await find('go')).toBe(`${two}\nhttp: No description`);
  expect(await find('go', 'http')).toContain('both');
  for (const query of ['http-', 'PAGES']) expect(await find('go', query)).toBe(two);
  expect(await find('go', 'client')).toContain('fetch');
  expect(await find('go', 'Client')).toBe('http-client: Fetches pages');
  expect(await find('rust', 'http')).toBe('rusty');
  expect(await find('Go', 'client')).toContain('fetch');
  expect(await find('RUST')).toBe('http: No description');
  expect([await find('go', 'not used'), await find('c')]).toEqual([NONE, NONE]);
});

it('searches every language if none is named, and finds each snippet by its label', async () => {
  verifies('TEAM-36');
  const { find } = snippetsOf({
    'go/http.go': page({ description: 'Serves' }, 'in go'),
    'go/other.go': page({ description: 'Over HTTP, too' }, 'another'),
    'go/retry.go': 'again',
    'rust/http.rs': 'in rust',
    'rust/http.md': 'about rust',
  });
  const shown = [
    ...['go/http: Serves', 'go/other: Over HTTP, too'],
    ...['rust/http.md: No description', 'rust/http.rs: No description'],
  ].join('\n');
  expect([await find('', 'http'), await find(' ', 'HTTP')]).toEqual([shown, shown]);
  expect(await find('', 'retry')).toBe('go/retry: No description');
  expect(await find('', 'nothing like it')).toBe(NONE);
  expect(await find('', 'rust/http.rs')).toBe('in rust');
  expect(await find('', 'go/http')).toContain('in go');
});

it('distinguishes languages by case where they differ only in it, and gives every label to one file', async () => {
  verifies('TEAM-36');
  const cases = snippetsOf({ 'Go/a.go': 'large', 'go/a.go': 'small', 'go/b.go': 'b' });
  expect([await cases.find('Go', 'a'), await cases.find('go', 'a')]).toEqual(['large', 'small']);
  expect((await cases.find('GO')).match(/^\S+(?=:)/gm)).toEqual(['Go/a', 'go/a', 'go/b']);
  expect(await cases.find('GO', 'go/a')).toBe('small');
  const files = { 'go/a.go': '1', 'go/a.md': '2', 'go/a': '3', 'go/b.x.md': '4', 'go/b.x': '5' };
  const { find } = snippetsOf(files);
  const labels = (await find('go')).split('\n').map((line) => line.split(':')[0] ?? '');
  const contents = await Promise.all(labels.map((label) => find('go', label)));
  expect(contents.sort()).toEqual(Object.values(files));
});

it('finds nothing outside its root', async () => {
  verifies('TEAM-38');
  const { project, find } = snippetsOf({ 'go/in.go': 'inside' });
  project.write('secret/key.txt', 'the secret');
  symlinkSync(join(project.root, 'secret'), join(project.root, ROOT, 'secret'));
  symlinkSync(join(project.root, 'secret/key.txt'), join(project.root, ROOT, 'go/key.txt'));
  expect(await find()).toBe('go');
  expect(await find('go')).toBe('in: No description');
  for (const language of ['secret', '../../secret', join(project.root, 'secret'), '..', 'go/..']) {
    expect([await find(language), await find(language, 'key')]).toEqual([NONE, NONE]);
  }
  expect(await find('go', '../../../secret/key.txt')).toBe(NONE);
  expect(await find('go', 'key')).toBe(NONE);
});

it('reads roots in order and notices new files', async () => {
  verifies('TEAM-39');
  const { project, find } = snippetsOf({});
  expect(await find()).toBe(NONE);
  const second = project.write('.sgai/snippets/go/a.go', 'second');
  expect(await find('go', 'a')).toBe('second');
  const first = project.write(`${ROOT}/go/a.go`, 'first');
  expect(await find('go', 'a')).toBe('first');
  rmSync(first);
  expect(await find('go', 'a')).toBe('second');
  rmSync(second);
  mkdirSync(join(project.root, ROOT, 'empty'));
  expect(await find()).toBe(NONE);
});
