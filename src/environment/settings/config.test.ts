// What config.yml says. What each mistake in it is refused for is in test/words/problems.test.ts.

import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { verifies } from '../../../test/verifies.ts';
import { openConfig, parseConfig } from './config.ts';
import { effectiveSettings } from './settings.ts';
import { withoutPassword } from './store-config.ts';

function configFile(text: string) {
  const root = tempFolder();
  mkdirSync(join(root, '.deepwork'));
  const file = join(root, '.deepwork/config.yml');
  const write = (content: string | Buffer) => {
    writeFileSync(file, content);
    // Long enough ago that a later change cannot have the same time.
    const past = new Date(Date.now() - 60_000);
    utimesSync(file, past, past);
  };
  write(text);
  return { file, read: openConfig(root, file), write };
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 30));

describe('the file', () => {
  test('is read once, broken or not, until it changes', async () => {
    const { file, read, write } = configFile('a: b: c\n');
    await pause();
    const first = await read();
    expect(first.problems).toMatchObject([{ at: { line: 1, column: expect.any(Number) } }]);
    // The same object: it was not parsed again.
    expect(await read()).toBe(first);
    write('quality_gate:\n  max_parallel: 7\n');
    expect((await read()).maxParallel).toBe(7);
    // With a modification time in the future, the last change always counts as recent.
    const ahead = new Date(Date.now() + 3_600_000);
    utimesSync(file, ahead, ahead);
    const unsure = await read();
    const again = await read();
    expect(again).toEqual(unsure);
    expect(again).not.toBe(unsure);
  });

  test('has every problem reported at its place, and the rest of it applies', async () => {
    const text = `qualty_gate: {max_parallel: 9}
quality_gate:
  default_timeout: soon
  max_parallel: 2
  overrides: nevr
git: {branch: sometimes}
team:
  tokens: 7
  question_wait_seconds: 20
`;
    const { problems, ...config } = await parseConfig(text);
    expect(problems.map(({ path, at }) => [path.join('.'), at.line, at.column])).toEqual([
      ['qualty_gate', 1, 1],
      ['quality_gate.default_timeout', 3, 20],
      ['quality_gate.overrides', 5, 14],
      ['git.branch', 6, 15],
      ['team.tokens', 8, 11],
    ]);
    expect(config).toMatchObject({
      maxParallel: 2,
      timeoutSeconds: null,
      branch: null,
      // For values that cannot be read, the stricter reading applies.
      overrides: 'never',
      team: { tokens: true, questionWaitSeconds: 20 },
    });
  });

  test('may have keys of older tools, anchors, quotes and other plain scalars', async () => {
    const text =
      'version: "1.0"\nplatforms: [claude]\ngit:\n  branch: "off"\nstore_lease_seconds: &n 9\nquality_gate: {max_parallel: *n, default_timeout: 0x10}\n';
    expect(await parseConfig(text)).toMatchObject({
      problems: [],
      branch: 'off',
      maxParallel: 9,
      timeoutSeconds: 16,
    });
  });
});

describe('the strictest value applies where a protective setting cannot be read', () => {
  const protective = async (text: string) => {
    const { problems, overrides, team, agentReviewCommand: reviewer } = await parseConfig(text);
    return { problems: problems.length, overrides, tokens: team.tokens, reviewer };
  };

  test.each([
    ['a tab', 'quality_gate:\n\toverrides: agent\n'],
    ['a key twice', 'quality_gate:\n  overrides: never\nquality_gate:\n  overrides: agent\n'],
    ['a second document', 'quality_gate:\n  overrides: agent\n---\nx: 1\n'],
    ['a list', '- quality_gate\n'],
    ['a text', 'overrides\n'],
  ])('the file: %s', async (_what, text) => {
    const all = { problems: 1, overrides: 'never', tokens: true, reviewer: null };
    expect(await protective(text)).toEqual(all);
    const { read, write } = configFile('');
    write(Buffer.from([0xff, 0xfe, 10]));
    expect(await read()).toMatchObject({ overrides: 'never', team: { tokens: true } });
  });

  test.each([
    ['quality_gate: [{overrides: agent}]', 'never', null],
    ['quality_gate: "overrides: agent"', 'never', null],
    ['quality_gate: 7', 'never', null],
    ['team: [{tokens: false}]', null, true],
    ['team: "tokens: false"', null, true],
    ['team: true', null, true],
  ])('the section: %s', async (text, overrides, tokens) => {
    expect(await protective(text)).toMatchObject({ problems: 1, overrides, tokens });
  });

  test.each(['', '# nothing yet\n', 'quality_gate:\nteam:\n'])('not: %j', async (text) => {
    const nothing = { problems: 0, overrides: null, tokens: null, reviewer: null };
    expect(await protective(text)).toEqual(nothing);
  });
});

test.each([
  ['default_timeout', 'timeoutSeconds'],
  ['default_max_attempts', 'maxAttempts'],
  ['max_parallel', 'maxParallel'],
  ['answer_within', 'answerWithinSeconds'],
] as const)('quality_gate.%s is a whole number from 1 to 86400', async (key, name) => {
  verifies('JOBS-X.24');
  const parse = (value: string) => parseConfig(`quality_gate: {${key}: ${value}}\n`);
  for (const good of [1, 86_400]) expect((await parse(String(good)))[name]).toBe(good);
  expect((await parse('null'))[name]).toBeNull();
  for (const bad of ['0', '-1', '86401', '1.5', '"9"', '.inf', 'yes', '[1]']) {
    const found = await parse(bad);
    expect([found[name], found.problems.length], bad).toEqual([null, 1]);
  }
});

test('the whole section team is read, and has defaults', async () => {
  verifies('TEAM-17');
  const text = `team:
  agents:
    - name: reviewer
      models: [vendor/a, "vendor/b (high)", vendor/a]
      command: run-reviewer --now
    - name: writer
  tokens: true
  allowed_hosts: [build.example.org, "10.0.0.7:8080", "[::1]"]
  question_wait_seconds: 20
  notify: notify-send deepwork
`;
  const models = ['vendor/a', 'vendor/b (high)'];
  expect((await parseConfig(text)).team).toEqual({
    agents: [
      { name: 'reviewer', models, command: 'run-reviewer --now' },
      { name: 'writer', models: [], command: null },
    ],
    tokens: true,
    allowedHosts: ['build.example.org', '10.0.0.7:8080', '[::1]'],
    questionWaitSeconds: 20,
    notify: 'notify-send deepwork',
  });
  for (const nothing of ['', 'team:', 'team: {agents: }', 'git: {branch: off}']) {
    const config = await parseConfig(nothing);
    expect(config.team.agents).toBeNull();
    expect(effectiveSettings({}, config).team).toEqual({
      tokens: false,
      allowedHosts: [],
      questionWaitSeconds: 45,
      notify: null,
    });
  }
});

test('every key of the store is read, and an invalid value does not count as absent', async () => {
  const text = `store: postgresql://db.example.org:5433/work
store_schema: team_a
store_lease_seconds: 10
workspace: github.com/example/project
`;
  expect(await parseConfig(text)).toMatchObject({
    problems: [],
    store: {
      url: 'postgresql://db.example.org:5433/work',
      schema: 'team_a',
      leaseSeconds: 10,
      workspace: 'github.com/example/project',
      unreadable: [],
      held: [],
    },
  });
  const wrong = 'store: mysql://host/work\nstore_schema: "Team A"\nworkspace: [a]\n';
  expect((await parseConfig(wrong)).store.unreadable).toEqual([
    'store',
    'store_schema',
    'workspace',
  ]);
  const absent = { url: null, workspace: null, unreadable: [] };
  expect(await parseConfig('store:\nworkspace:\n')).toMatchObject({ problems: [], store: absent });
});

test.each([
  ['postgres://host/work', 'postgres://host/work'],
  ['postgres://user:secret@host:5432/work', 'postgres://user@host:5432/work'],
  ['postgres://u:se@cr/et@host/work?sslmode=require', 'postgres://u@host/work?sslmode=require'],
  ['postgres://host/work?password=secret&sslmode=disable', 'postgres://host/work?sslmode=disable'],
  ['postgres://one:5432,two:5433/work', 'postgres://one:5432,two:5433/work'],
])('%s is shown without its password', (url, shown) => {
  expect(withoutPassword(url)).toBe(shown);
});
