import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { knowledgeOf, page, tempProject } from './temp-knowledge.ts';

const ROOT = '.deepwork/snippets';

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
  expect(await find()).toBe('go\nrust');
  expect(await find('', 'http')).toBe('go\nrust');
  expect(await find('go')).toBe(
    'http-client: Fetches pages\nhttp-server: Serves Pages\nhttp: No description',
  );
  expect(await find('go', 'http')).toContain('both');
  expect(await find('go', 'http-')).toBe('http-client: Fetches pages\nhttp-server: Serves Pages');
  expect(await find('go', 'client')).toContain('fetch');
  expect(await find('go', 'Client')).toBe('http-client: Fetches pages');
  expect(await find('go', 'PAGES')).toBe('http-client: Fetches pages\nhttp-server: Serves Pages');
  expect(await find('go', 'not used')).toBe('');
  expect(await find('rust', 'http')).toBe('rusty');
  expect(await find('Go')).toBe('');
  expect(await find('c')).toBe('');
});

it('gives every label to one file', async () => {
  verifies('TEAM-36');
  const files = { 'go/a.go': '1', 'go/a.md': '2', 'go/a': '3', 'go/b.x.md': '4', 'go/b.x': '5' };
  const { find } = snippetsOf(files);
  const labels = (await find('go')).split('\n').map((line) => line.split(':')[0] ?? '');
  const contents = await Promise.all(labels.map((label) => find('go', label)));
  expect(contents.sort()).toEqual(Object.values(files));
});

it('knows nothing outside its root', async () => {
  verifies('TEAM-38');
  const { project, find } = snippetsOf({ 'go/in.go': 'inside' });
  project.write('secret/key.txt', 'the secret');
  symlinkSync(join(project.root, 'secret'), join(project.root, ROOT, 'secret'));
  symlinkSync(join(project.root, 'secret/key.txt'), join(project.root, ROOT, 'go/key.txt'));
  expect(await find()).toBe('go');
  expect(await find('go')).toBe('in: No description');
  for (const language of ['secret', '../../secret', join(project.root, 'secret'), '..', 'go/..']) {
    expect(await find(language)).toBe('');
    expect(await find(language, 'key')).toBe('');
  }
  expect(await find('go', '../../../secret/key.txt')).toBe('');
  expect(await find('go', 'key')).toBe('');
});

it('takes roots in order and sees what is new', async () => {
  verifies('TEAM-39');
  const { project, find } = snippetsOf({});
  expect(await find()).toBe('');
  const second = project.write('.sgai/snippets/go/a.go', 'second');
  expect(await find('go', 'a')).toBe('second');
  const first = project.write(`${ROOT}/go/a.go`, 'first');
  expect(await find('go', 'a')).toBe('first');
  rmSync(first);
  expect(await find('go', 'a')).toBe('second');
  rmSync(second);
  expect(await find('go', 'a')).toBe('');
  mkdirSync(join(project.root, ROOT, 'empty'));
  expect(await find()).toBe('');
});
