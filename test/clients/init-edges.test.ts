// deepwork init where something is in the way: files that were edited since, links, disks and
// homes that are not as usual; and what a person sees at a terminal.

import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { parse } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { TEMPLATES } from '../../src/init/templates.ts';
import { command } from '../support/command.ts';
import { BINARY } from '../support/connect.ts';
import { newHome } from '../support/http.ts';
import { mountReadOnly, whyNoMounts } from '../support/mounts.ts';
import { newRepository } from '../support/repository.ts';
import { deepwork, run } from '../support/run-command.ts';
import { deepworkOnTerminal } from '../support/terminal.ts';
import { verifies } from '../verifies.ts';
import { ALL, filesOf, newSetting, type Setting } from './init-project.ts';

const read = (setting: Setting, file: string) => readFileSync(setting.path(file), 'utf8');

test('--undo takes out what is as it was put in, leaves the rest and names it', async () => {
  verifies('CLIENT-1');
  const setting = newSetting({ files: { '.codex/config.toml': 'model = "x"\n' } });
  await setting.init('--yes', '--clients', ALL, '--template', 'bug_fix');
  const edit = (file: string, from: string, to: string) => {
    expect(read(setting, file)).toContain(from);
    setting.write(file, read(setting, file).replace(from, to));
  };
  edit('.mcp.json', '"mcpServers": {', '"mcpServers": {\n    // new\n    "other": {},');
  edit('.claude/settings.json', 'hook claude stop', 'hook claude stop --mine');
  edit('.codex/config.toml', 'model = "x"', 'model = "y"');
  edit('.deepwork/config.yml', '# git:\n#   branch: create', 'git:\n  branch: off #');
  edit('.deepwork/jobs/bug_fix/steps/fix.md', '# Fix', '# Really fix');
  const job = filesOf(setting).filter((file) => file.startsWith('.deepwork/jobs/bug_fix/'));
  const { code, stdout } = await setting.init('--undo', '--yes');
  expect(code).toBe(0);
  const kept = ['.claude/settings.json', '.deepwork/config.yml', '.deepwork/jobs/bug_fix'];
  for (const file of kept) expect(stdout).toContain(file);
  const others = ['.codex/config.toml', '.mcp.json'];
  // Of a job that was edited every file stays, so that it still works.
  expect(filesOf(setting)).toEqual([...kept.slice(0, 2), ...job, ...others].sort());
  expect(read(setting, '.mcp.json')).toBe(
    '{\n  "mcpServers": {\n    // new\n    "other": {}\n  }\n}\n',
  );
  expect(read(setting, '.codex/config.toml')).toBe('model = "y"\n');
  expect(Object.keys(parse(read(setting, '.claude/settings.json')).hooks)).toEqual(['Stop']);
});

test('a second run puts back what was removed, and leaves what was edited', async () => {
  verifies('CLIENT-1');
  const setting = newSetting();
  await setting.init('--yes', '--clients', 'claude');
  const { mcpServers } = parse(read(setting, '.mcp.json'));
  const mine = { ...mcpServers.deepwork, env: { A: '1' } };
  setting.write('.mcp.json', JSON.stringify({ mcpServers: { deepwork: mine } }));
  setting.write('.deepwork/config.yml', 'git: {branch: off}\n');
  const settings = parse(read(setting, '.claude/settings.json'));
  delete settings.hooks.Stop;
  setting.write('.claude/settings.json', JSON.stringify(settings, null, 2));
  const { stdout } = await setting.init('--yes', '--clients', 'claude');
  expect(stdout).toContain('.mcp.json has another mcpServers.deepwork');
  expect(parse(read(setting, '.mcp.json')).mcpServers.deepwork).toEqual(mine);
  expect(read(setting, '.deepwork/config.yml')).toBe('git: {branch: off}\n');
  const { hooks } = parse(read(setting, '.claude/settings.json'));
  expect(Object.keys(hooks).sort()).toEqual(['PreToolUse', 'SessionStart', 'Stop']);
  expect(hooks.SessionStart).toHaveLength(1);
  await setting.init('--undo', '--yes');
  expect(filesOf(setting)).toEqual(['.deepwork/config.yml', '.mcp.json']);
});

test('a record that names other files is not used', async () => {
  verifies('CLIENT-1');
  const setting = newSetting({ files: { 'precious.txt': 'x' } });
  await setting.init('--yes', '--clients', 'none');
  const record = JSON.parse(read(setting, '.deepwork/init.json'));
  record.files['precious.txt'] = { kind: 'whole', sha256: 'x' };
  setting.write('.deepwork/init.json', JSON.stringify(record));
  const before = setting.snapshot();
  expect((await setting.init('--undo', '--yes')).code).toBe(1);
  expect(setting.snapshot()).toEqual(before);
});

describe('links', () => {
  test('that lead out of the project are left alone and named; nothing is written there', async () => {
    verifies('CLIENT-1');
    const outside = newSetting({ files: { 'settings.json': '{}', 'mcp.json': '{}' } });
    const setting = newSetting();
    symlinkSync(outside.root, setting.path('.claude'));
    symlinkSync(outside.path('mcp.json'), setting.path('.mcp.json'));
    mkdirSync(setting.path('.codex'));
    symlinkSync(setting.path('nowhere.toml'), setting.path('.codex/config.toml'));
    const before = outside.snapshot();
    const { code, stdout } = await setting.init('--yes', '--clients', 'claude,codex');
    expect(code).toBe(1);
    for (const file of ['.claude/settings.json', '.mcp.json', '.codex/config.toml']) {
      expect(stdout).toContain(`Left alone: ${file} `);
    }
    await setting.init('--undo', '--yes');
    expect(outside.snapshot()).toEqual(before);
  });

  test('that end inside stay links', async () => {
    verifies('CLIENT-1');
    const setting = newSetting({ files: { 'config/mcp.json': '{}\n' } });
    symlinkSync('config/mcp.json', setting.path('.mcp.json'));
    const before = setting.snapshot();
    await setting.init('--yes', '--clients', 'claude');
    expect(lstatSync(setting.path('.mcp.json')).isSymbolicLink()).toBe(true);
    expect(parse(read(setting, 'config/mcp.json')).mcpServers.deepwork).toBeDefined();
    await setting.init('--undo', '--yes');
    expect(setting.snapshot()).toEqual(before);
  });
});

const noMounts = whyNoMounts();
if (noMounts !== null) console.warn(`Skipped: read-only folders (${noMounts})`);

test.skipIf(noMounts !== null).each(['.', '.gemini'])(
  'where %s is read-only nothing is written',
  async (folder) => {
    verifies('CLIENT-1');
    const setting = newSetting({ files: { '.mcp.json': '{}', '.gemini/settings.json': '{}' } });
    const before = setting.snapshot();
    const release = mountReadOnly(setting.path(folder));
    expect((await setting.init('--yes', '--clients', ALL)).code).toBe(1);
    expect((await setting.init('--dry-run', '--clients', ALL)).code).toBe(0);
    release();
    expect(setting.snapshot()).toEqual(before);
  },
);

test('without a home it works; the home itself is no project', async () => {
  verifies('CLIENT-1');
  const setting = newSetting();
  const words = ['-u', 'HOME', process.execPath, BINARY, 'init', '--yes', '--clients', ALL];
  const options = { cwd: setting.root, env: setting.env };
  expect(await run('/usr/bin/env', words, options)).toMatchObject({ code: 0, stderr: '' });
  const env = { ...setting.env, HOME: setting.root };
  expect((await command(['init', '--yes'], { cwd: setting.root, env })).code).toBe(2);
});

test.each([
  [['--clients', 'claude,vim']],
  [['--clients', '']],
  [['--template', 'novel']],
  [['--undo', '--clients', 'claude']],
  [['--path', 'missing']],
])('%j is a wrong command line', async (args) => {
  verifies('CLIENT-1');
  const setting = newSetting();
  expect((await setting.init(...args, '--yes')).code).toBe(2);
  expect(setting.snapshot()).toEqual({});
});

describe('templates', () => {
  test.each(TEMPLATES)('%s lints clean and starts', async (template) => {
    verifies('CLIENT-1');
    const setting = newSetting();
    await setting.init('--yes', '--clients', 'none', '--template', template);
    const options = { cwd: setting.root, env: { ...setting.env, HOME: newHome() } };
    const linted = await command(['lint'], options);
    expect(linted.stdout).toContain(': 0 problems, 0 warnings\n');
    const job = read(setting, `.deepwork/jobs/${template}/job.yml`);
    const [workflow] = /(?<=workflows:\n {2}- name: )\w+/.exec(job) ?? [''];
    const call = ['start_workflow', '--job_name', template, '--workflow_name', workflow];
    const started = await command(['call', ...call, '--goal', 'g'], options);
    expect(JSON.parse(started.stdout).begin_step.step_instructions).not.toBe('');
  });

  test('one for a project with jobs only if it is asked for, and never over another job', async () => {
    verifies('CLIENT-1');
    const job = '.deepwork/jobs/bug_fix/job.yml';
    const setting = newSetting({ files: { [job]: 'name: bug_fix\n' } });
    await setting.init('--yes', '--clients', 'none');
    expect(readdirSync(setting.path('.deepwork/jobs'))).toEqual(['bug_fix']);
    await setting.init('--yes', '--clients', 'none', '--template', 'bug_fix');
    expect(readdirSync(setting.path('.deepwork/jobs/bug_fix'))).toEqual(['job.yml']);
    await setting.init('--yes', '--clients', 'none', '--template', 'blank');
    expect(readdirSync(setting.path('.deepwork/jobs'))).toEqual(['blank', 'bug_fix']);
  });

  test('the check runs the tests of this project, where it is known how', async () => {
    verifies('CLIENT-1');
    const setting = newSetting({ files: { 'Cargo.toml': '' } });
    await setting.init('--yes', '--clients', 'none', '--template', 'bug_fix');
    expect(read(setting, '.deepwork/jobs/bug_fix/job.yml')).toContain('        run: cargo test\n');
  });
});

test('git sees what init wrote, and nothing that deepwork writes later', async () => {
  verifies('CLIENT-1');
  const setting = newSetting();
  const { git } = newRepository(setting.root);
  git('commit', '--quiet', '--allow-empty', '-m', 'First');
  await setting.init('--yes', '--clients', 'claude');
  const status = () => git('status', '--porcelain', '--untracked-files=all');
  const before = status();
  const options = { cwd: setting.root, env: { ...setting.env, HOME: newHome() } };
  const call = ['call', 'start_workflow', '--job_name', 'blank', '--workflow_name', 'run'];
  expect((await deepwork([...call, '--goal', 'g'], options)).code).toBe(0);
  const update = ['call', 'update_workflow_state', '--status', 'working', '--task', 't'];
  await deepwork(update, options);
  expect(status()).toBe(before);
  await setting.init('--undo', '--yes');
  expect(status()).toBe('');
});

test('an agent may run it, and nothing is trusted by it', async () => {
  verifies('CLIENT-1');
  const setting = newSetting();
  const options = { cwd: setting.root, env: { ...setting.env, CLAUDECODE: '1' } };
  const args = ['init', '--yes', '--clients', 'claude', '--template', 'bug_fix'];
  expect((await command(args, options)).code).toBe(0);
  expect(readdirSync(setting.home)).toEqual([]);
});

describe('at a terminal', () => {
  test('it asks for clients, for the first job, and before it writes', async () => {
    verifies('CLIENT-1');
    const setting = newSetting({ files: { '.mcp.json': '{}' } });
    const options = { cwd: setting.root, env: setting.env };
    const terminal = deepworkOnTerminal(['init'], options);
    await terminal.sees('Which clients?');
    terminal.type('claude, vim');
    await terminal.sees("There is no client 'vim'.");
    terminal.type('claude,cursor');
    await terminal.sees('First job?');
    terminal.type('release_notes');
    await terminal.sees('Write this? [y/N] ');
    expect(Object.keys(setting.snapshot())).toEqual(['.mcp.json']);
    terminal.type('y');
    expect(await terminal.ended).toBe(0);
    expect(Object.keys(setting.snapshot())).toContain('.cursor/mcp.json');
    const undo = deepworkOnTerminal(['init', '--undo'], options);
    await undo.sees('Remove this? [y/N] ');
    undo.type('yes');
    expect(await undo.ended).toBe(0);
    expect(Object.keys(setting.snapshot())).toEqual(['.mcp.json']);
  });

  test('it offers claude as the reviewer where that is installed', async () => {
    verifies('CLIENT-1');
    for (const [answer, command] of [
      ['', '#   agent_review_command:'],
      ['y', '  agent_review_command: >-'],
    ] as const) {
      const setting = newSetting();
      chmodSync(setting.write('../bin/claude', '#!/bin/sh\n'), 0o755);
      const terminal = deepworkOnTerminal(['init'], { cwd: setting.root, env: setting.env });
      for (const [asked, typed] of [
        ['Which clients?', ''],
        ['First job?', ''],
        ['Let claude review the work of agents?', answer],
        ['Write this? [y/N] ', 'y'],
      ] as const) {
        await terminal.sees(asked);
        terminal.type(typed);
      }
      expect(await terminal.ended).toBe(0);
      expect(read(setting, '.deepwork/config.yml')).toContain(`\n${command}`);
    }
  });

  test('no is no, and so is a terminal that is closed', async () => {
    verifies('CLIENT-1');
    const setting = newSetting();
    const options = { cwd: setting.root, env: setting.env };
    const answers = [
      ['Write this? [y/N] ', ['--clients', 'claude', '--template', 'none'], ['n', '', '\u0004']],
      ['First job?', ['--clients', 'claude'], ['\u0004']],
      ['Which clients?', [], ['\u0004']],
    ] as const;
    for (const [asked, args, typed] of answers) {
      for (const answer of typed) {
        const terminal = deepworkOnTerminal(['init', ...args], options);
        await terminal.sees(asked);
        terminal.type(answer);
        expect(await terminal.ended).toBe(1);
      }
    }
    expect(setting.snapshot()).toEqual({});
  });
});

test('what a file holds cannot act on the terminal that shows it', async () => {
  verifies('CLIENT-1');
  const files = { '.mcp.json': '{\n  "a": "\u009b2J",\n  "mcpServers": {}\n}\n' };
  const { stdout } = await newSetting({ files }).init('--dry-run', '--clients', 'claude');
  expect(stdout).toContain('"mcpServers": {');
  expect(stdout).not.toContain('\u009b');
});
