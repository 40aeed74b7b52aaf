// The command as a person types it: help, version, completion, and the answer to a wrong command
// line. What they say word by word is recorded elsewhere.

import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cellWidth } from '../../src/board/drawing/text-width.ts';
import { typedCommands } from '../../src/cli/completion/commands.ts';
import * as help from '../../src/cli/help.ts';
import { operations } from '../../src/operations/table.ts';
import { command } from '../support/command.ts';
import { completesEverything, SHELLS } from '../support/completion-cases.ts';
import { BINARY } from '../support/connect.ts';
import { optionsRead } from '../support/options-read.ts';
import { newProject } from '../support/project.ts';
import { deepwork } from '../support/run-command.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';

const tools = operations.map(({ name }) => name);
const commands = typedCommands(tools);

test('help is on stdout, for the whole, each command and each tool, and fits into 80 columns', async () => {
  verifies('JOBS-X.24');
  const cwd = newProject().root;
  const long = await deepwork(['--help'], { cwd });
  expect(long).toMatchObject({ code: 0, stderr: '' });
  for (const word of ['-h', 'help']) expect(await command([word], { cwd })).toEqual(long);
  const listed = [...long.stdout.matchAll(/^ {2}([a-z]+) {2}/gm)].map(([, name]) => name);
  // Clients run hooks, not people.
  expect([...listed, 'hook'].sort()).toEqual(commands.map(({ name }) => name).sort());
  // In a project it shows the status.
  expect(await command([], { cwd: tempFolder() })).toEqual(long);
  expect(await command(['call', '-h'], { cwd })).toEqual(await command(['help', 'call'], { cwd }));
  const asked = [
    ['--help'],
    ...commands.map(({ name }) => [name, '--help']),
    ...tools.map((name) => ['call', name, '--help']),
  ];
  for (const args of asked) {
    const { code, stdout, stderr } = await command(args, { cwd });
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
    expect(stdout.split('\n').filter((line) => cellWidth(line) > 80)).toEqual([]);
    for (const name of args.slice(0, -1)) expect(stdout).toContain(name);
  }
});

test('the version is that of the package', async () => {
  verifies('JOBS-X.24');
  const file = new URL('../../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(file, 'utf8'));
  const cwd = newProject().root;
  const said = { code: 0, stdout: `${version}\n`, stderr: '' };
  expect(await deepwork(['--version'], { cwd })).toEqual(said);
  for (const word of ['-v', 'version']) expect(await command([word], { cwd })).toEqual(said);
});

test.each([
  [['ghost'], ['ghost', 'deepwork --help']],
  [['statsu'], ["'status'"]],
  [['--hlep'], ["'--help'"]],
  [
    ['completion', 'powershell'],
    ['powershell', 'bash, zsh, fish'],
  ],
  [['store', 'stat'], ["'status'"]],
  [
    ['serve', '--ghost'],
    ['--ghost', 'deepwork serve --help'],
  ],
  [['serve', 'stray'], ['stray']],
  [['serve', '--path'], ['--path']],
  [['serve', '--path', 'ghost'], ['ghost']],
  [['serve', '--path', 'report.md'], ['report.md']],
  [
    ['serve', '--transport', 'pigeon'],
    ['pigeon', 'stdio'],
  ],
  [
    ['serve', '--external-runner', 'ghost'],
    ['ghost', 'claude'],
  ],
  [['lint', '--path', 'nowhere'], ['nowhere']],
  [['call'], ['Usage: deepwork call']],
  [['call', 'start_workflw'], ["'start_workflow'"]],
  [['call', 'get_workflows', 'stray'], ['stray']],
  [['call', 'get_workflows', '--path', 'nowhere'], ['nowhere']],
  [
    ['call', 'get_workflows', '--json', '{'],
    ['--json', 'JSON'],
  ],
  [
    ['call', 'finished_step', '--outputs', 'no-pair'],
    ['--outputs', 'name=value'],
  ],
  [
    ['call', 'finished_step', '--outputs', '{"a":'],
    ['--outputs', 'JSON'],
  ],
  [
    ['simulate', 'x', '--inputs', '{"a":'],
    ['--inputs', 'JSON'],
  ],
])('a wrong command line exits with 2 and names what is wrong: %j', async (args, named) => {
  verifies('JOBS-X.24');
  const { root: cwd } = newProject({ 'report.md': '' });
  // The exit code of the process is seen in some of them, and a server must not start in this one.
  const run = ['ghost', 'serve'].includes(args[0] ?? '') ? deepwork : command;
  const { code, stdout, stderr } = await run(args, { cwd });
  expect(code, stderr).toBe(2);
  for (const part of named) expect(stderr || stdout).toContain(part);
  expect(stderr).not.toMatch(/\n +at /);
});

describe('completion', () => {
  test('has every flag that a command reads, and those that its help tells', () => {
    verifies('JOBS-X.24');
    const read = optionsRead();
    // The lines of these two are read otherwise.
    const others = ['call', 'hook'];
    expect([...read.keys(), ...others].sort()).toEqual(commands.map(({ name }) => name).sort());
    for (const { name, flags } of commands) {
      const text = (help as Readonly<Record<string, string>>)[`${name.toUpperCase()}_HELP`] ?? '';
      const told = [...text.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag]) => flag);
      const listed = Object.keys(flags).sort();
      expect(told.filter((flag) => flag !== '--help').sort(), name).toEqual(listed);
      if (others.includes(name)) continue;
      const known = (read.get(name) ?? []).map((flag) => [flag.name, flag.isAlone]);
      const offered = listed.map((flag) => [flag, flags[flag]?.kind === 'nothing']);
      expect(known.sort(), name).toEqual(offered);
    }
  });

  const has = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0;

  // Shells that are not here are skipped; `npm run test:clients` installs and runs them.
  for (const { name, program, open } of SHELLS) {
    test.skipIf(!has(program))(`completes what is typed: ${name}`, async () => {
      verifies('JOBS-X.24');
      await completesEverything(open);
    });
  }

  test('bash answers the tab key', async () => {
    verifies('JOBS-X.24');
    const args = ['-qec', 'bash --norc --noprofile -i', '/dev/null'];
    const child = spawn('script', args, { cwd: tempFolder() });
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
