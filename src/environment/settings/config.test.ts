import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { verifies } from '../../../test/verifies.ts';
import { writeIssue } from '../../definitions/reader/issues.ts';
import { openConfig, parseConfig } from './config.ts';

function configFile(text: string) {
  const root = tempFolder();
  mkdirSync(join(root, '.deepwork'));
  const file = join(root, '.deepwork/config.yml');
  const write = (content: string) => {
    writeFileSync(file, content);
    // Long enough ago that a later change cannot have the same time.
    const past = new Date(Date.now() - 60_000);
    utimesSync(file, past, past);
  };
  write(text);
  return { file, read: openConfig(root, file), write };
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 30));

test('a broken file is read once and reports the same problems until it changes', async () => {
  const { read, write } = configFile('a: b: c\n');
  await pause();
  const first = await read();
  expect(first.problems).toMatchObject([{ at: { line: 1, column: expect.any(Number) } }]);
  // The same object: it was not parsed again.
  expect(await read()).toBe(first);
  write('quality_gate:\n  max_parallel: 7\n');
  expect((await read()).maxParallel).toBe(7);
});

test('a duplicate key is refused', async () => {
  const { problems } = await parseConfig('team:\n  tokens: true\n  tokens: false\n');
  expect(problems.map(writeIssue)).toEqual([
    "cannot be read: duplicate key 'tokens' (line 3, column 3)",
  ]);
});

test('each problem is reported with its position, and the rest of the file applies', async () => {
  const text = `qualty_gate: {max_parallel: 9}
quality_gate:
  default_timeout: soon
  max_parallel: 2
  answer_withn: 5
  overrides: nevr
git: {branch: sometimes}
team:
  tokens: 7
  question_wait_seconds: 20
`;
  const { problems, ...config } = await parseConfig(text);
  expect(problems.map(writeIssue)).toEqual([
    "unknown key 'qualty_gate'; did you mean 'quality_gate'? (line 1, column 1)",
    "quality_gate.default_timeout: expected a whole number from 1 to 86400, found the text 'soon' (line 3, column 20)",
    "quality_gate: unknown key 'answer_withn'; did you mean 'answer_within'? (line 5, column 3)",
    "quality_gate.overrides: expected one of agent, person, never; found the text 'nevr' (line 6, column 14)",
    "git.branch: expected one of create, checkout, off; found the text 'sometimes' (line 7, column 15)",
    "team.tokens: expected true or false, found the number '7' (line 9, column 11)",
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

describe('the strictest value applies where a protective setting cannot be read', () => {
  test.each([
    ['a tab', 'quality_gate:\n\toverrides: agent\n'],
    ['a key twice', 'quality_gate:\n  overrides: never\nquality_gate:\n  overrides: agent\n'],
    ['a second document', 'quality_gate:\n  overrides: agent\n---\nx: 1\n'],
    ['a list', '- quality_gate\n'],
    ['a text', 'overrides\n'],
  ])('the file: %s', async (_what, text) => {
    const { problems, overrides, team, agentReviewCommand } = await parseConfig(text);
    expect(problems).not.toEqual([]);
    expect({ overrides, tokens: team.tokens }).toEqual({ overrides: 'never', tokens: true });
    expect(agentReviewCommand).toBeNull();
  });

  test('a file that is not UTF-8 text', async () => {
    const { read, file } = configFile('');
    writeFileSync(file, Buffer.from([0xff, 0xfe, 10]));
    expect(await read()).toMatchObject({ overrides: 'never', team: { tokens: true } });
  });

  test.each(['[{overrides: agent}]', '"overrides: agent"', '7'])(
    'the section quality_gate: %s',
    async (value) => {
      const text = `quality_gate: ${value}\nteam: {question_wait_seconds: 9}\n`;
      const { problems, overrides, team } = await parseConfig(text);
      expect(problems).toHaveLength(1);
      expect({ overrides, tokens: team.tokens }).toEqual({ overrides: 'never', tokens: null });
      expect(team.questionWaitSeconds).toBe(9);
    },
  );

  test.each(['[{tokens: false}]', '"tokens: false"', 'true'])(
    'the section team: %s',
    async (value) => {
      const { problems, overrides, team } = await parseConfig(`team: ${value}\n`);
      expect(problems).toHaveLength(1);
      expect({ overrides, tokens: team.tokens }).toEqual({ overrides: null, tokens: true });
    },
  );

  test.each(['', '# nothing yet\n', 'quality_gate:\nteam:\n'])(
    'an empty file is not broken: %j',
    async (text) => {
      const { problems, overrides, team } = await parseConfig(text);
      expect({ problems, overrides, tokens: team.tokens }).toEqual({
        problems: [],
        overrides: null,
        tokens: null,
      });
    },
  );
});

test('keys of older tools are accepted', async () => {
  const { problems } = await parseConfig('version: "1.0"\nplatforms: [claude]\nteam:\n');
  expect(problems).toEqual([]);
});

test('quotes, anchors and plain scalars are read as YAML', async () => {
  const text =
    'git:\n  branch: "off"\nx: &n 9\nquality_gate: {max_parallel: *n, default_timeout: 0x10}\n';
  expect(await parseConfig(text)).toMatchObject({
    branch: 'off',
    maxParallel: 9,
    timeoutSeconds: 16,
  });
});

test('a file is not read again unless a later change could have the same time', async () => {
  const { file, read } = configFile('quality_gate: {max_parallel: 7}\n');
  await pause();
  const first = await read();
  expect(await read()).toBe(first);
  // With a modification time in the future, the last change always counts as recent.
  const ahead = new Date(Date.now() + 3_600_000);
  utimesSync(file, ahead, ahead);
  const unsure = await read();
  expect(await read()).toEqual(unsure);
  expect(await read()).not.toBe(unsure);
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
    expect(found[name], bad).toBeNull();
    expect(found.problems, bad).toMatchObject([
      {
        message: expect.stringContaining(
          `quality_gate.${key}: expected a whole number from 1 to 86400`,
        ),
      },
    ]);
  }
});
