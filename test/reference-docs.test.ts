// docs/reference.md and the program name the same keys, flags and variables: a difference is a
// mistake in one of them.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import * as help from '../src/cli/help.ts';
import { CONDITION_KEYS } from '../src/core/conditions-parse.ts';
import { COMMON_FIELDS, COMPOSITIONS } from '../src/core/rules/parse.ts';
import { TEST_FIELDS } from '../src/core/rules/parse-kind.ts';
import { WORKFLOW_FIELDS } from '../src/definitions/guides/parse-guide.ts';
import { STEP_FIELDS } from '../src/definitions/guides/parse-step.ts';
import { ARGUMENT_STYLE_KEYS } from '../src/definitions/jobs/argument-style.ts';
import { JOB_KEYS, LIST_STYLE_KEYS } from '../src/definitions/jobs/shape.ts';
import { GOAL_KEYS } from '../src/definitions/team/goal.ts';
import { CONFIG_KEYS } from '../src/environment/settings/config.ts';
import { AGENT_KEYS, TEAM_KEYS } from '../src/environment/settings/team-config.ts';
import { optionsRead } from './support/options-read.ts';
import { verifies } from './verifies.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const reference = readFileSync(path.join(root, 'docs/reference.md'), 'utf8');

/** The names in the first column of the table under a heading. */
function documented(heading: string): string[] {
  const section = reference.split(/^#+ /m).find((part) => part.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`docs/reference.md has no heading '${heading}'`);
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return rows
    .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)])
    .map(([, name]) => name as string)
    .sort();
}

const once = (names: readonly string[]) => [...new Set(names)].sort();

const KEYS: readonly (readonly [heading: string, keys: readonly string[]])[] = [
  ...Object.entries(JOB_KEYS),
  ['list style', LIST_STYLE_KEYS],
  ['step_arguments', ARGUMENT_STYLE_KEYS],
  ['guide', WORKFLOW_FIELDS],
  ['guide step', STEP_FIELDS],
  ['rule', [...COMMON_FIELDS, ...Object.values(TEST_FIELDS).flat()]],
  ['composition', COMPOSITIONS],
  ['condition', CONDITION_KEYS],
  ['config', CONFIG_KEYS.root],
  ['quality_gate', CONFIG_KEYS.quality_gate],
  ['git', CONFIG_KEYS.git],
  ['clients', CONFIG_KEYS.clients],
  ['board', CONFIG_KEYS.board],
  ['run (in config.yml)', CONFIG_KEYS.run],
  ['worktree', CONFIG_KEYS.worktree],
  ['team', TEAM_KEYS],
  ['agent', AGENT_KEYS],
  ['front matter of GOAL.md', GOAL_KEYS],
];

test.each(KEYS)('the reference has the keys of %s, and no others', (heading, keys) => {
  verifies('JOBS-X.24');
  expect(documented(heading)).toEqual(once(keys));
});

function sources(): { readonly file: string; readonly text: string }[] {
  const src = path.join(root, 'src');
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => ({ file, text: readFileSync(path.join(src, file), 'utf8') }));
}

/** The flags of each command, from where it reads its options. */
function flags(): Map<string, string[]> {
  const read = [...optionsRead()].map(
    ([command, names]) => [command, names.map(({ name }) => name).sort()] as const,
  );
  // It also takes the arguments of any tool, so it reads its command line itself.
  return new Map([...read, ['call', ['--agent', '--json', '--path']]]);
}

const HELPS: Readonly<Record<string, string>> = { ...help };

describe('flags', () => {
  test('are read by every command that the help lists', () => {
    verifies('JOBS-X.24');
    const commands = [...help.HELP.matchAll(/^ {2}([a-z]+) {2,}\S/gm)].map(([, name]) => name);
    expect([...flags().keys()].sort()).toEqual(commands.sort());
  });

  test.each([...flags()])(
    'of deepwork %s are in the reference and in its help',
    (command, names) => {
      verifies('JOBS-X.24');
      expect(documented(`deepwork ${command}`)).toEqual(names);
      const text = HELPS[`${command.toUpperCase()}_HELP`] ?? '';
      const told = [...text.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(
        ([, name]) => name as string,
      );
      expect(once(told)).toEqual(once([...names, '--help']));
    },
  );
});

test('the reference has the variables that the program reads or sets, and no others', () => {
  verifies('JOBS-X.24');
  const used = sources()
    // Variables of other tools' agents are listed there; reading them is no setting.
    .filter(({ file }) => !file.endsWith('agent-marks.ts'))
    .flatMap(({ text }) => [
      ...[...text.matchAll(/\b(?:DEEPWORK|SGAI)_[A-Z_]+\b/g)].map(([name]) => name),
      ...[...text.matchAll(/\benv\.(CLAUDE_[A-Z_]+)/g)].map(([, name]) => name as string),
    ]);
  expect(documented('Environment')).toEqual(once(used));
});
