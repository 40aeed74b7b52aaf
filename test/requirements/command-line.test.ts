// The command as a person sees it: help, version, and the answer to a wrong command line.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cellWidth } from '../../src/board/drawing/text-width.ts';
import { typedCommands } from '../../src/cli/completion/commands.ts';
import { command } from '../support/command.ts';
import { newProject } from '../support/project.ts';
import { deepwork } from '../support/run-command.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';

const COMMANDS = ['serve', 'call', 'trust', 'lint'];

test('help is on stdout, for the whole and for each command', async () => {
  verifies('JOBS-X.24');
  const cwd = newProject().root;
  const long = await deepwork(['--help'], { cwd });
  const short = await command(['-h'], { cwd });
  const word = await command(['help'], { cwd });
  // In a project it shows the status.
  const bare = await command([], { cwd: tempFolder() });
  for (const name of COMMANDS) expect(long.stdout).toMatch(new RegExp(`^ +${name} +\\w`, 'm'));
  for (const same of [bare, short, word]) expect(same).toEqual(long);
  expect(long).toMatchObject({ code: 0, stderr: '' });
  for (const name of COMMANDS) {
    const [one, other] = await Promise.all([
      command([name, '--help'], { cwd }),
      command([name, '-h'], { cwd }),
    ]);
    expect(one).toMatchObject({ code: 0, stderr: '' });
    expect(one.stdout).toMatch(new RegExp(`^Usage: deepwork ${name}\\b`, 'm'));
    expect(other).toEqual(one);
  }
});

test('every help fits into 80 columns: of the whole, of each command and of each tool', async () => {
  verifies('JOBS-X.24');
  const cwd = newProject().root;
  const { stdout: tools } = await command(['call', '--help'], { cwd });
  const names = [...tools.matchAll(/^ {2}([a-z_]+) {2,}\S/gm)].map(([, name]) => name as string);
  expect(names.length).toBeGreaterThan(15);
  const commands = typedCommands([]).map(({ name }) => name);
  const asked = [
    ['--help'],
    ...commands.map((name) => [name, '--help']),
    ...names.map((name) => ['call', name, '--help']),
  ];
  const wide: string[] = [];
  for (const args of asked) {
    const { code, stdout, stderr } = await command(args, { cwd });
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
    const lines = stdout.split('\n').filter((line) => cellWidth(line) > 80);
    wide.push(...lines.map((line) => `${args.join(' ')}: ${line}`));
  }
  expect(wide).toEqual([]);
});

test('every flag that serve has is in its help', async () => {
  verifies('JOBS-X.24');
  const { stdout } = await command(['serve', '--help'], { cwd: newProject().root });
  const flags = [
    'path',
    'transport',
    'no-quality-gate',
    'quality-gate',
    'external-runner',
    'platform',
    'trust',
  ];
  for (const flag of flags) expect(stdout).toMatch(new RegExp(`^ +--${flag}\\b`, 'm'));
});

test('the version is that of the package', async () => {
  verifies('JOBS-X.24');
  const { version } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  );
  const cwd = newProject().root;
  const said = { code: 0, stdout: `${version}\n`, stderr: '' };
  expect(await deepwork(['--version'], { cwd })).toEqual(said);
  for (const word of ['-v', 'version']) expect(await command([word], { cwd })).toEqual(said);
});

test.each([
  [['ghost'], /unknown command 'ghost'\. Try: deepwork --help/],
  [['statsu'], /unknown command 'statsu'; did you mean 'status'\? Try: deepwork --help/],
  [['call', 'start_workflw'], /unknown tool "start_workflw"; did you mean 'start_workflow'\?/],
  [['--ghost'], /unknown option '--ghost'\. Try: deepwork --help/],
  [['--hlep'], /unknown option '--hlep'; did you mean '--help'\? Try: deepwork --help/],
  [['completion', 'powershell'], /'powershell' is not supported\. Use one of: bash, zsh, fish/],
  [['completion'], /no shell was given\. Use one of: bash, zsh, fish/],
  [['store', 'stat'], /store takes one of copy, migrate, status; did you mean 'status'\? Try/],
  [['store'], /store takes one of copy, migrate, status\. Try/],
  [['serve', '--ghost'], /--ghost.*deepwork serve --help/],
  [['serve', 'stray'], /stray.*deepwork serve --help/],
  [['serve', '--path'], /--path/],
  [['serve', '--transport', 'pigeon'], /pigeon.*stdio/],
  [['serve', '--external-runner', 'ghost'], /ghost.*claude/],
  [['lint', '--ghost'], /--ghost.*deepwork lint --help/],
  [['lint', '--path', 'nowhere'], /nowhere/],
  [['trust', '--ghost'], /--ghost.*deepwork trust --help/],
  [['call'], /Usage: deepwork call/],
  [['call', 'ghost'], /unknown tool "ghost".*get_workflows/s],
  [['call', 'get_workflows', 'stray'], /stray/],
  [['call', 'get_workflows', '--path'], /--path/],
  [['call', 'get_workflows', '--path', 'nowhere'], /nowhere/],
  [['call', 'get_workflows', '--json', '{'], /--json is not JSON: /],
  [['call', 'finished_step', '--outputs', 'no-pair'], /--outputs.*name=value/],
  [['call', 'finished_step', '--outputs', '{"a":'], /--outputs is not JSON: /],
  [['simulate', 'x', '--inputs', '{"a":'], /--inputs is not JSON: /],
])('a wrong command line exits with 2 and says why: %j', async (args, why) => {
  verifies('JOBS-X.24');
  // The exit code of the process is seen in some of them, and a server must not start in this one.
  const run = ['ghost', 'serve'].includes(args[0] ?? '') ? deepwork : command;
  const { code, stdout, stderr } = await run(args, { cwd: newProject().root });
  expect(code, stderr).toBe(2);
  expect(stderr || stdout).toMatch(why);
  expect(stderr).not.toMatch(/\n +at /);
});
