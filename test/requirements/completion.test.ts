// deepwork completion: the table that it is made from has every command and every flag, and a
// real shell completes what a person has begun to type.

import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { typedCommands } from '../../src/cli/completion/commands.ts';
import * as help from '../../src/cli/help.ts';
import { HOOK_CLIENTS } from '../../src/hook/clients/table.ts';
import { MOMENTS } from '../../src/hook/hook-client.ts';
import { operations } from '../../src/operations/table.ts';
import { BINARY } from '../support/connect.ts';
import { newProject } from '../support/project.ts';
import { deepwork } from '../support/run-command.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';

const src = fileURLToPath(new URL('../../src', import.meta.url));
const tools = operations.map(({ name }) => name);
const commands = typedCommands(tools);
/** Given by a launch to the server that it starts; not for people. */
const INTERNAL = ['--launched-after'];

interface ReadFlag {
  readonly name: string;
  readonly isAlone: boolean;
}

/** The options that each command really reads, from where it reads them. */
function optionsRead(): Map<string, ReadFlag[]> {
  const found = new Map<string, ReadFlag[]>();
  for (const file of readdirSync(path.join(src, 'cli'), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    const text = readFileSync(path.join(src, 'cli', file), 'utf8');
    const [, command, options] =
      /readOptions\('(\w+)', \{.*?^ {4}options: \{\n(.*?)^ {4}\}/ms.exec(text) ?? [];
    if (command === undefined) continue;
    const flags = [...(options ?? '').matchAll(/^ {6}'?([\w-]+)'?: \{ type: '(\w+)'/gm)].map(
      ([, name, type]) => ({ name: `--${name}`, isAlone: type === 'boolean' }),
    );
    found.set(
      command,
      flags.filter(({ name }) => name !== '--help' && !INTERNAL.includes(name)),
    );
  }
  return found;
}

/** Commands whose command line is not read by `readOptions`. */
const READ_OTHERWISE = ['call', 'hook'];

describe('the table', () => {
  test('has every command that the program knows, and no other', () => {
    verifies('JOBS-X.24');
    const table = readFileSync(path.join(src, 'cli/commands.ts'), 'utf8');
    const loaded = [...table.matchAll(/case '([a-z]+)':\n\s+return \(await/g)];
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
    const ran = await deepwork(['completion', ...args], { cwd });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain('Use one of: bash, zsh, fish');
  }
});

const has = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0;

async function script(shell: string): Promise<string> {
  const { code, stdout, stderr } = await deepwork(['completion', shell], { cwd: tempFolder() });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

describe.runIf(has('bash'))('bash', () => {
  let bash = '';
  beforeAll(async () => {
    const { stdout } = spawnSync(process.execPath, [BINARY, 'completion', 'bash'], {
      encoding: 'utf8',
    });
    bash = stdout;
  });

  /** What bash offers for these words; the last one is being typed. */
  function offered(words: readonly string[], cwd = '/'): string[] {
    const ask = `${bash}
COMP_WORDS=(deepwork "$@"); COMP_CWORD=$#
_deepwork
((\${#COMPREPLY[@]})) && printf '%s\\n' "\${COMPREPLY[@]}"; true`;
    const args = ['--norc', '--noprofile', '-uc', ask, 'bash', ...words];
    const { stdout, stderr } = spawnSync('bash', args, { cwd, encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout.split('\n').filter((line) => line !== '');
  }

  test('completes commands', () => {
    verifies('JOBS-X.24');
    expect(offered(['']).sort()).toEqual([...commands.map(({ name }) => name), 'help'].sort());
    expect(offered(['la'])).toEqual(['launch']);
    expect(offered(['help', 'tr'])).toEqual(['trust']);
    expect(offered(['--v'])).toEqual(['--version']);
  });

  test.each(commands.map((command) => [command.name, Object.keys(command.flags)] as const))(
    'completes the flags of %s',
    (name, flags) => {
      verifies('JOBS-X.24');
      expect(offered([name, '-']).sort()).toEqual([...flags, '--help'].sort());
    },
  );

  test('completes what flags take', () => {
    verifies('JOBS-X.24');
    expect(offered(['serve', '--transport', ''])).toEqual(['stdio', 'http', 'sse']);
    expect(offered(['serve', '--transport', '=', 'h'])).toEqual(['http']);
    expect(offered(['serve', '--transport', '='])).toEqual(['stdio', 'http', 'sse']);
    expect(offered(['serve', '--trust', '--external-runner', ''])).toEqual(['claude']);
    expect(offered(['serve', '--tools', 'jobs,g'])).toEqual(['jobs,guides']);
    expect(offered(['serve', '--port', ''])).toEqual([]);
  });

  test('completes names that commands take, at their place', () => {
    verifies('JOBS-X.24');
    expect(offered(['call', '']).sort()).toEqual([...tools].sort());
    expect(offered(['call', '--path', 'x', 'go_'])).toEqual(['go_to_step']);
    expect(offered(['call', 'go_to_step', ''])).toEqual([]);
    expect(offered(['hook', ''])).toEqual(HOOK_CLIENTS.map(({ name }) => name));
    expect(offered(['hook', 'claude', ''])).toEqual([...MOMENTS]);
    expect(offered(['messages', 'p'])).toEqual(['prune']);
    expect(offered(['export', ''])).toEqual(['skills', 'last']);
    expect(offered(['completion', ''])).toEqual(['bash', 'zsh', 'fish']);
    expect(offered(['doctor', ''])).toEqual([]);
  });

  test('completes folders and files, with blanks in them', () => {
    verifies('JOBS-X.24');
    const project = newProject({ 'a folder/x': '', 'a file': '' });
    expect(offered(['lint', '--path', 'a'], project.root)).toEqual(['a folder']);
    expect(offered(['lint', 'a'], project.root).sort()).toEqual(['a file', 'a folder']);
  });

  test('completes programs after --', () => {
    verifies('JOBS-X.24');
    expect(offered(['launch', '--agent', 'x', '--', 'mkfif'])).toContain('mkfifo');
  });

  test('answers the tab key', async () => {
    verifies('JOBS-X.24');
    const cwd = tempFolder();
    const child = spawn('script', ['-qec', 'bash --norc --noprofile -i', '/dev/null'], { cwd });
    onTestFinished(() => void child.kill('SIGKILL'));
    let screen = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      screen += text;
    });
    child.stdin.write(
      `eval "$('${process.execPath}' '${BINARY}' completion bash)"; echo REA''DY\n`,
    );
    await until(() => screen.includes('READY'));
    child.stdin.write('echo deepwork\u0015deepwork call get_act\t');
    await until(() => screen.includes('get_active_workflow'));
  });
});

test.runIf(has('zsh'))('zsh loads its script', async () => {
  verifies('JOBS-X.24');
  const text = `autoload -U compinit && compinit -D\n${await script('zsh')}\nwhence -w _deepwork`;
  const { stdout, stderr } = spawnSync('zsh', ['-fc', text], { encoding: 'utf8' });
  expect({ stdout, stderr }).toEqual({ stdout: '_deepwork: function\n', stderr: '' });
});

test.runIf(has('fish'))('fish completes commands, flags and tools', async () => {
  verifies('JOBS-X.24');
  const text = await script('fish');
  const offered = (line: string) => {
    const asked = `${text}\ncomplete -C '${line}'`;
    const { stdout } = spawnSync('fish', ['--no-config', '-c', asked], { encoding: 'utf8' });
    return stdout.split('\n').map((each) => each.split('\t')[0]);
  };
  expect(offered('deepwork la')).toContain('launch');
  expect(offered('deepwork serve --tr')).toEqual(expect.arrayContaining(['--transport']));
  expect(offered('deepwork call go_')).toContain('go_to_step');
});

test('zsh and fish are given every command, flag and tool', async () => {
  verifies('JOBS-X.24');
  const [zsh, fish] = await Promise.all([script('zsh'), script('fish')]);
  for (const { name, flags } of commands) {
    expect(fish).toContain(`-n __fish_use_subcommand -a ${name} `);
    for (const flag of Object.keys(flags)) {
      expect(zsh).toMatch(new RegExp(`'${name}'\\) echo '[^']*${flag}\\b`));
      expect(fish).toContain(`-n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}`);
    }
  }
  for (const tool of tools) for (const text of [zsh, fish]) expect(text).toContain(tool);
});
