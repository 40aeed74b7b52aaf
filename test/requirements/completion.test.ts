// deepwork completion: the table that it is made from has every command and every flag, and a
// real shell completes what a person has begun to type.

import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { typedCommands } from '../../src/cli/completion/commands.ts';
import * as help from '../../src/cli/help.ts';
import { operations } from '../../src/operations/table.ts';
import { command } from '../support/command.ts';
import { scriptOf } from '../support/completing-shells.ts';
import { completesEverything, SHELLS } from '../support/completion-cases.ts';
import { BINARY } from '../support/connect.ts';
import { optionsRead, type ReadFlag } from '../support/options-read.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';

const src = fileURLToPath(new URL('../../src', import.meta.url));
const tools = operations.map(({ name }) => name);
const commands = typedCommands(tools);
/** Commands whose command line is not read by `readOptions` or `readCommandLine`. */
const READ_OTHERWISE = ['call', 'hook'];

describe('the table', () => {
  test('has every command that the program knows, and no other', () => {
    verifies('JOBS-X.24');
    const table = readFileSync(path.join(src, 'cli/commands.ts'), 'utf8');
    const loaded = [...table.matchAll(/^ {2}([a-z]+): async \(argv, io\) => \(await/gm)];
    // `main.ts` runs hooks itself.
    const known = [...loaded.map(([, name]) => name), 'hook'];
    expect(known.length).toBeGreaterThan(10);
    expect(commands.map(({ name }) => name).sort()).toEqual(known.sort());
  });

  test('has every flag that a command reads, and whether it takes a value', () => {
    verifies('JOBS-X.24');
    const read = optionsRead();
    const others = commands.filter(({ name }) => !READ_OTHERWISE.includes(name));
    expect(others.map(({ name }) => name).sort()).toEqual([...read.keys()].sort());
    for (const { name, flags } of others) {
      const listed = Object.entries(flags).map(([flag, takes]) => ({
        name: flag,
        isAlone: takes.kind === 'nothing',
      }));
      const byName = (a: ReadFlag, b: ReadFlag) => (a.name < b.name ? -1 : 1);
      expect(listed.sort(byName), name).toEqual([...(read.get(name) ?? [])].sort(byName));
    }
  });

  test.each(commands.map(({ name, flags }) => [name, Object.keys(flags)] as const))(
    'has the flags that the help of %s tells',
    (name, flags) => {
      verifies('JOBS-X.24');
      const text = (help as Readonly<Record<string, string>>)[`${name.toUpperCase()}_HELP`] ?? '';
      const told = [...text.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag]) => flag);
      expect(text).toContain(`Usage: deepwork ${name}`);
      expect(told.filter((flag) => flag !== '--help').sort()).toEqual([...flags].sort());
    },
  );
});

test('a shell that is not known, or none, is a wrong command line', async () => {
  verifies('JOBS-X.24');
  const cwd = tempFolder();
  for (const args of [[], ['tcsh'], ['bash', 'zsh']]) {
    const ran = await command(['completion', ...args], { cwd });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain('Use one of: bash, zsh, fish');
  }
});

const has = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0;

// Shells that are not here are skipped; `npm run test:clients` installs and runs them.
describe.each(SHELLS)('$name', ({ program, open }) => {
  test.skipIf(!has(program))('completes what is typed', async () => {
    verifies('JOBS-X.24');
    await completesEverything(open);
  });
});

test('bash answers the tab key', async () => {
  verifies('JOBS-X.24');
  const cwd = tempFolder();
  const child = spawn('script', ['-qec', 'bash --norc --noprofile -i', '/dev/null'], { cwd });
  onTestFinished(() => void child.kill('SIGKILL'));
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    screen += text;
  });
  child.stdin.write(`eval "$('${process.execPath}' '${BINARY}' completion bash)"; echo REA''DY\n`);
  await until(() => screen.includes('READY'));
  child.stdin.write('echo deepwork\u0015deepwork call get_act\t');
  await until(() => screen.includes('get_active_workflow'));
});

test('zsh and fish are given every command, flag and tool', () => {
  verifies('JOBS-X.24');
  const [zsh, fish] = [scriptOf('zsh'), scriptOf('fish')];
  for (const { name, flags } of commands) {
    expect(fish).toContain(`-n '__deepwork_after ""' -a ${name} `);
    for (const flag of Object.keys(flags)) {
      expect(zsh).toMatch(new RegExp(`'${name}'\\) echo '[^']*${flag}\\b`));
      expect(fish).toContain(`-n '__deepwork_after ${name}' -l ${flag.slice(2)}`);
    }
  }
  for (const tool of tools) for (const text of [zsh, fish]) expect(text).toContain(tool);
});
