import { expect, test } from 'vitest';
import { readYaml } from '../source/yaml.ts';
import { closedMap, emptyText, none, optional, required, text, wordList } from './fields.ts';
import { openIssueLog } from './issues.ts';

const read = closedMap({
  name: required(text, emptyText),
  summary: required(text, emptyText),
  note: optional(text, none),
});

async function issuesOf(yaml: string): Promise<string[]> {
  const source = await readYaml(yaml);
  const log = openIssueLog();
  if (source.root === null) throw new Error('no YAML');
  read(source.root, [], log);
  return log.close(source).kept.map(({ code, message }) => `${code}: ${message}`);
}

test('a misspelt key is reported with its spelling, and not also as missing', async () => {
  expect(await issuesOf('name: a\nsumary: b\n')).toEqual([
    "unknown_key: unknown key 'sumary'; did you mean 'summary'?",
  ]);
  expect(await issuesOf('name: a\n')).toEqual(["missing_key: missing required key 'summary'"]);
});

test('a text in the place of a list of words is reported, and still read as the words that were meant', async () => {
  const source = await readYaml('build, test');
  if (source.root === null) throw new Error('no YAML');
  const log = openIssueLog();
  const words = wordList(text)(source.root, [], log);
  expect(words?.map(({ value }) => value)).toEqual(['build', 'test']);
  const { kept } = log.close(source);
  expect(kept.map(({ code }) => code)).toEqual(['wrong_type']);
  expect(kept[0]?.message).toContain('write [build, test]');
});
