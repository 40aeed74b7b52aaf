// deepwork init where something is in the way: files that were edited since, links, disks and
// homes that are not as usual; and what a person sees at a terminal.

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
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
import { ALL, newSetting, type Setting } from './init-project.ts';

const read = (setting: Setting, file: string) => readFileSync(setting.path(file), 'utf8');

const filesOf = (setting: Setting) =>
  Object.entries(setting.snapshot()).flatMap(([file, content]) =>
    content.startsWith('100') ? [file] : [],
  );

describe('--undo after edits', () => {
  test('takes out what is as it was put in, leaves the rest and names it', async () => {
    verifies('CLIENT-1');
    const setting = newSetting({ files: { '.codex/config.toml': 'model = "x"\n' } });
    await setting.init('--yes', '--clients', ALL, '--template', 'bug_fix');
    const edit = (file: string, from: string, to: string) => {
      const text = read(setting, file);
      expect(text).toContain(from);
      setting.write(file, text.replace(from, to));
    };
    edit('.mcp.json', '"mcpServers": {', '"mcpServers": {\n    // new\n    "other": {},');
    edit('.claude/settings.json', 'hook claude stop', 'hook claude stop --mine');
    edit('.codex/config.toml', 'model = "x"', 'model = "y"');
    edit('.codex/hooks.json', '{\n', '{\n  "version": 1,\n');
    edit('.cursor/mcp.json', 'serve', 'SERVE');
    edit('.deepwork/config.yml', '# git:\n#   branch: create', 'git:\n  branch: off #');
    edit('.deepwork/jobs/bug_fix/steps/fix.md', '# Fix', '# Really fix');
    setting.write('.opencode/plugins/mine.js', 'export const A = 1;\n');
    const { code, stdout } = await setting.init('--undo', '--yes');
    expect(code).toBe(0);
    for (const said of [
      '.claude/settings.json keeps hooks.Stop, edited since',
      '.cursor/mcp.json keeps mcpServers.deepwork, edited since',
      '.deepwork/config.yml was edited since; it stays',
      '.deepwork/jobs/bug_fix/steps/fix.md was edited since; it stays',
      '.deepwork/jobs/bug_fix stays with all of its files',
      'Not empty, so kept: ',
    ]) {
      expect(stdout).toContain(said);
    }
    const left = filesOf(setting).filter((file) => !file.startsWith('.deepwork/jobs/bug_fix/'));
    expect(left).toEqual([
      '.claude/settings.json',
      '.codex/config.toml',
      '.codex/hooks.json',
      '.cursor/mcp.json',
      '.deepwork/config.yml',
      '.mcp.json',
      '.opencode/plugins/mine.js',
    ]);
    expect(read(setting, '.mcp.json')).toBe(
      '{\n  "mcpServers": {\n    // new\n    "other": {}\n  }\n}\n',
    );
    expect(read(setting, '.codex/config.toml')).toBe('model = "y"\n');
    expect(read(setting, '.codex/hooks.json')).toBe('{\n  "version": 1\n}\n');
    expect(Object.keys(parse(read(setting, '.claude/settings.json')).hooks)).toEqual(['Stop']);
  });

  test('keeps a job of which one file was edited, so that it still works', async () => {
    verifies('CLIENT-1');
    const setting = newSetting();
    const written = await setting.init('--yes', '--clients', 'none', '--template', 'bug_fix');
    expect(written.stdout).not.toContain('Connect a client');
    const folder = '.deepwork/jobs/bug_fix';
    const job = () => filesOf(setting).filter((file) => file.startsWith(folder));
    const before = job();
    setting.write(
      `${folder}/job.yml`,
      read(setting, `${folder}/job.yml`).replace('1.0.0', '1.0.1'),
    );
    const { stdout } = await setting.init('--undo', '--yes');
    expect(stdout).toContain(`${folder}/job.yml was edited since; it stays.`);
    expect(stdout).toContain(`${folder} stays with all of its files.`);
    expect(stdout).not.toContain('Restart your clients');
    expect(job()).toEqual(before);
    const { code } = await command(['lint'], { cwd: setting.root, env: setting.env });
    expect(code).toBe(0);
  });

  test('leaves a file that can no longer be parsed, and names it', async () => {
    verifies('CLIENT-1');
    const setting = newSetting();
    await setting.init('--yes', '--clients', 'claude,codex');
    setting.write('.mcp.json', '{');
    setting.write('.codex/config.toml', 'x');
    const { stdout } = await setting.init('--undo', '--yes');
    expect(stdout).toContain('.mcp.json is not valid JSON (line 1');
    expect(stdout).toContain('.codex/config.toml is not valid TOML (line 1');
    expect([read(setting, '.mcp.json'), read(setting, '.codex/config.toml')]).toEqual(['{', 'x']);
  });

  test('what to do next leaves out clients whose server could not be entered', async () => {
    verifies('CLIENT-1');
    const setting = newSetting({ files: { '.cursor/mcp.json': '{ broken', '.mcp.json': '{' } });
    const { code, stdout } = await setting.init('--yes', '--clients', 'claude,cursor');
    expect(code).toBe(1);
    const next = stdout.slice(stdout.indexOf('Next:'));
    // It has its hooks, but no server that could answer.
    expect(next).not.toMatch(/claude|cursor/i);
    const later = newSetting({ files: { '.claude/settings.json': '{', '.cursor/mcp.json': '{' } });
    const partly = await later.init('--yes', '--clients', 'claude,cursor');
    expect(partly.stdout.slice(partly.stdout.indexOf('Next:'))).toContain('Restart Claude Code');
  });

  test('a second run puts back what was removed, and leaves what was edited', async () => {
    verifies('CLIENT-1');
    const setting = newSetting();
    await setting.init('--yes', '--clients', 'claude');
    const { mcpServers } = parse(read(setting, '.mcp.json'));
    const mine = { ...mcpServers.deepwork, env: { A: '1' } };
    setting.write('.mcp.json', JSON.stringify({ mcpServers: { deepwork: mine } }));
    const settings = parse(read(setting, '.claude/settings.json'));
    delete settings.hooks.Stop;
    setting.write('.claude/settings.json', JSON.stringify(settings, null, 2));
    const { stdout } = await setting.init('--yes', '--clients', 'claude');
    expect(stdout).toContain(
      '.mcp.json has another mcpServers.deepwork already, which stays as it is',
    );
    expect(parse(read(setting, '.mcp.json')).mcpServers.deepwork).toEqual(mine);
    const { hooks } = parse(read(setting, '.claude/settings.json'));
    expect(Object.keys(hooks).sort()).toEqual(['PreToolUse', 'SessionStart', 'Stop']);
    expect(hooks.SessionStart).toHaveLength(1);
    await setting.init('--undo', '--yes');
    expect(Object.keys(setting.snapshot())).toEqual(['.mcp.json']);
  });

  test('a file that init made keeps what others put in, though init wrote it once more', async () => {
    verifies('CLIENT-1');
    const setting = newSetting();
    await setting.init('--yes', '--clients', 'gemini,codex', '--no-hooks');
    const mine = read(setting, '.gemini/settings.json').replace('{\n', '{\n  "theme": "x",\n');
    setting.write('.gemini/settings.json', mine);
    setting.write('.codex/config.toml', 'model = "x"\n');
    await setting.init('--yes', '--clients', 'gemini,codex');
    expect(parse(read(setting, '.gemini/settings.json'))).toHaveProperty('hooks.AfterAgent');
    expect(read(setting, '.codex/config.toml')).toContain('[mcp_servers.deepwork]');
    await setting.init('--undo', '--yes');
    expect(read(setting, '.gemini/settings.json')).toBe('{\n  "theme": "x"\n}\n');
    expect(read(setting, '.codex/config.toml')).toBe('model = "x"\n');
  });

  test('a record that names other files is not used', async () => {
    verifies('CLIENT-1');
    const setting = newSetting({ files: { 'precious.txt': 'x' } });
    await setting.init('--yes', '--clients', 'none');
    const record = JSON.parse(read(setting, '.deepwork/init.json'));
    record.files['precious.txt'] = { kind: 'whole', sha256: 'x' };
    setting.write('.deepwork/init.json', JSON.stringify(record));
    const before = setting.snapshot();
    const { code, stderr } = await setting.init('--undo', '--yes');
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/init\.json.* cannot be used\nNext: /),
    ]);
    expect(setting.snapshot()).toEqual(before);
  });
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
      expect(stdout).toContain(`Left alone: ${file} is not used: `);
    }
    expect(outside.snapshot()).toEqual(before);
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
if (noMounts !== null) console.warn(`Skipped: a read-only project (${noMounts})`);

test.skipIf(noMounts !== null)(
  'a read-only project: nothing is written, and it says why',
  async () => {
    verifies('CLIENT-1');
    const setting = newSetting({ files: { '.mcp.json': '{}', '.claude/settings.json': '{}' } });
    const before = setting.snapshot();
    const release = mountReadOnly(setting.root);
    const { code, stderr } = await setting.init('--yes', '--clients', ALL);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^deepwork: nothing was written: .* \(the disk is read-only\)\nNext: make /,
      ),
    ]);
    expect((await setting.init('--dry-run', '--clients', ALL)).code).toBe(0);
    release();
    expect(setting.snapshot()).toEqual(before);
  },
);

test.skipIf(noMounts !== null)('a folder that cannot be written stops everything', async () => {
  verifies('CLIENT-1');
  const setting = newSetting({ files: { '.gemini/settings.json': '{}' } });
  const before = setting.snapshot();
  mountReadOnly(setting.path('.gemini'));
  const { code, stderr } = await setting.init('--yes', '--clients', ALL);
  expect([code, stderr]).toEqual([1, expect.stringContaining('.gemini cannot be written to')]);
  expect(setting.snapshot()).toEqual(before);
});

test('without a home it works; the home itself is no project', async () => {
  verifies('CLIENT-1');
  const setting = newSetting();
  for (const unset of [['-u', 'HOME'], ['HOME=']]) {
    const words = [...unset, process.execPath, BINARY, 'init', '--yes', '--clients', ALL];
    const { code, stderr } = await run('/usr/bin/env', words, {
      cwd: setting.root,
      env: setting.env,
    });
    expect([code, stderr]).toEqual([0, '']);
  }
  const env = { ...setting.env, HOME: setting.root };
  const refused = await command(['init', '--yes'], { cwd: setting.root, env });
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('home directory')]);
});

test.each([
  [['--clients', 'claude,vim'], "there is no client 'vim'"],
  [['--clients', ''], 'there is no client'],
  [['--template', 'novel'], '--template novel does not exist'],
  [['--undo', '--clients', 'claude'], '--undo removes everything'],
  [['--path', 'missing'], '--path missing is not a directory'],
])('%j is a wrong command line', async (args, said) => {
  verifies('CLIENT-1');
  const setting = newSetting();
  const { code, stderr } = await setting.init(...args, '--yes');
  expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
  expect(setting.snapshot()).toEqual({});
});

describe('templates', () => {
  test.each(TEMPLATES)('%s lints clean and starts', async (template) => {
    verifies('CLIENT-1');
    const setting = newSetting();
    const { code, stdout } = await setting.init(
      '--yes',
      '--clients',
      'none',
      '--template',
      template,
    );
    expect([code, stdout]).toEqual([0, expect.stringContaining(`/${template}/job.yml`)]);
    const env = { ...setting.env, HOME: newHome() };
    const linted = await command(['lint'], { cwd: setting.root, env });
    expect(linted.stdout).toMatch(
      /^1 job and 0 guides of this project, .*: 0 problems, 0 warnings\n$/,
    );
    const [workflow] = /(?<=workflows:\n {2}- name: )\w+/.exec(
      read(setting, `.deepwork/jobs/${template}/job.yml`),
    ) ?? [''];
    const call = ['start_workflow', '--job_name', template, '--workflow_name', workflow];
    const started = await command(['call', ...call, '--goal', 'g'], { cwd: setting.root, env });
    expect(JSON.parse(started.stdout).begin_step.step_instructions).not.toBe('');
  });

  test('one for a project with jobs only if it is asked for, and never over another job', async () => {
    verifies('CLIENT-1');
    const job = '.deepwork/jobs/bug_fix/job.yml';
    const setting = newSetting({ files: { [job]: 'name: bug_fix\n' } });
    await setting.init('--yes', '--clients', 'none');
    expect(readdirSync(setting.path('.deepwork/jobs'))).toEqual(['bug_fix']);
    const { stdout } = await setting.init('--yes', '--clients', 'none', '--template', 'bug_fix');
    expect(stdout).toContain('there is a job bug_fix already');
    expect(readdirSync(setting.path('.deepwork/jobs/bug_fix'))).toEqual(['job.yml']);
    await setting.init('--yes', '--clients', 'none', '--template', 'blank');
    expect(readdirSync(setting.path('.deepwork/jobs'))).toEqual(['blank', 'bug_fix']);
  });

  test('the check runs the tests of this project, where it is known how', async () => {
    verifies('CLIENT-1');
    const setting = newSetting({ files: { 'Cargo.toml': '' } });
    const known = await setting.init('--yes', '--clients', 'none', '--template', 'bug_fix');
    expect(read(setting, '.deepwork/jobs/bug_fix/job.yml')).toContain('        run: cargo test\n');
    expect(known.stdout).toContain('deepwork trust');
    expect(known.stdout).not.toContain('Write the command');
    const unknown = newSetting();
    const { stdout } = await unknown.init('--yes', '--clients', 'none', '--template', 'bug_fix');
    expect(stdout).toContain('Write the command that runs your tests');
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
  const env = { ...setting.env, HOME: newHome() };
  const call = ['call', 'start_workflow', '--job_name', 'blank', '--workflow_name', 'run'];
  const started = await deepwork([...call, '--goal', 'g'], { cwd: setting.root, env });
  expect(started.code).toBe(0);
  await deepwork(['call', 'update_workflow_state', '--status', 'working', '--task', 't'], {
    cwd: setting.root,
    env,
  });
  expect(status()).toBe(before);
  const { stdout } = await setting.init('--undo', '--yes');
  expect(stdout).toContain('Not empty, so kept: .deepwork.');
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

test('in a folder of a repository it says where the root is', async () => {
  verifies('CLIENT-1');
  const setting = newSetting();
  newRepository(setting.root);
  mkdirSync(setting.path('part'));
  const { stdout } = await setting.init('--path', 'part', '--dry-run');
  expect(stdout).toContain(`Note: this is a folder of the repository ${setting.root}.`);
});

describe('at a terminal', () => {
  test('it asks for clients, for the first job, and before it writes', async () => {
    verifies('CLIENT-1');
    const setting = newSetting({ files: { '.mcp.json': '{}' } });
    const terminal = deepworkOnTerminal(['init'], { cwd: setting.root, env: setting.env });
    await terminal.sees('claude: Claude Code, .mcp.json is here');
    await terminal.sees('Which clients?');
    terminal.type('claude, vim');
    await terminal.sees("There is no client 'vim'.");
    await terminal.sees('[claude] ');
    terminal.type('claude,cursor');
    await terminal.sees('First job?');
    terminal.type('release_notes');
    await terminal.sees('Write this? [y/N] ');
    expect(Object.keys(setting.snapshot())).toEqual(['.mcp.json']);
    terminal.type('y');
    await terminal.sees('Restart Cursor');
    await terminal.sees('Run the release_notes job with deepwork.');
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).toContain('\u001b[32m+');
    expect(Object.keys(setting.snapshot())).toContain('.cursor/mcp.json');
    const undo = deepworkOnTerminal(['init', '--undo'], {
      cwd: setting.root,
      env: { ...setting.env, NO_COLOR: '1' },
    });
    await undo.sees('Remove this? [y/N] ');
    undo.type('yes');
    expect(await undo.ended).toBe(0);
    expect(undo.screen()).not.toContain('\u001b[3');
    expect(Object.keys(setting.snapshot())).toEqual(['.mcp.json']);
  });

  test('it offers claude as the reviewer where that is installed', async () => {
    verifies('CLIENT-1');
    for (const [answer, command] of [
      ['', '#   agent_review_command:'],
      ['y', '  agent_review_command: >-'],
    ] as const) {
      const setting = newSetting();
      const claude = setting.write('../bin/claude', '#!/bin/sh\n');
      chmodSync(claude, 0o755);
      const options = { cwd: setting.root, env: { ...setting.env, NO_COLOR: '1' } };
      const terminal = deepworkOnTerminal(['init'], options);
      for (const asked of ['Which clients?', 'First job?']) {
        await terminal.sees(asked);
        terminal.type('');
      }
      await terminal.sees('Let claude review the work of agents?');
      terminal.type(answer);
      await terminal.sees('Write this? [y/N] ');
      terminal.type('y');
      expect(await terminal.ended).toBe(0);
      const config = readFileSync(setting.path('.deepwork/config.yml'), 'utf8');
      expect(config).toContain(`\n${command}`);
      expect(config).toContain('\n  overrides: person ');
      const trust = /Run `deepwork trust`: .*claude reviews/.test(terminal.screen());
      expect(trust).toBe(answer === 'y');
      expect((await setting.init('--yes')).stdout).toContain('Everything is in place');
    }
  });

  test('no is no, and so is a terminal that is closed', async () => {
    verifies('CLIENT-1');
    const setting = newSetting();
    const args = ['init', '--clients', 'claude', '--template', 'none'];
    const options = { cwd: setting.root, env: setting.env };
    for (const answer of ['n', '', '\u0004']) {
      const terminal = deepworkOnTerminal(args, options);
      await terminal.sees('Write this? [y/N] ');
      terminal.type(answer);
      await terminal.sees('Nothing was written.');
      expect(await terminal.ended).toBe(1);
    }
    for (const asked of [[], ['--clients', 'claude']]) {
      const terminal = deepworkOnTerminal(['init', ...asked], options);
      await terminal.sees(asked.length === 0 ? 'Which clients?' : 'First job?');
      terminal.type('\u0004');
      await terminal.sees('Nothing was written, because you gave no answer');
      expect(await terminal.ended).toBe(1);
      expect(terminal.screen()).not.toContain('Write this?');
    }
    expect(setting.snapshot()).toEqual({});

    await setting.init('--yes', '--clients', 'claude', '--template', 'none');
    const undo = deepworkOnTerminal(['init', '--undo'], options);
    await undo.sees('Remove this? [y/N] ');
    undo.type('n');
    await undo.sees('Nothing was removed.');
    expect(await undo.ended).toBe(1);
  });
});

test('the next step is the job that is there, whether it was written now or before', async () => {
  verifies('CLIENT-1');
  const setting = newSetting();
  const saysNext = async (...args: string[]) =>
    /Say to your agent: "(.*)"/.exec((await setting.init('--yes', ...args)).stdout)?.[1];
  const newJob = "Use deepwork's new_job workflow to write a job for …";
  expect(await saysNext('--clients', 'none', '--template', 'blank')).toBe(newJob);
  expect(await saysNext('--clients', 'claude'), 'the blank job is only an example').toBe(newJob);
  const bugFix = 'Run the bug_fix job with deepwork.';
  expect(await saysNext('--clients', 'claude', '--template', 'bug_fix')).toBe(bugFix);
  expect(await saysNext('--clients', 'codex')).toBe(bugFix);
});

test('a document that is named is one of the installation, and is there', async () => {
  verifies('CLIENT-1');
  const setting = newSetting({ files: { '.mcp.json': '{' } });
  const { stdout } = await setting.init('--yes', '--clients', 'claude');
  const [, named = ''] = /by hand \((.*)\)/.exec(stdout) ?? [];
  expect(readFileSync(named, 'utf8')).toMatch(/^# Setting up clients/);
  const config = readFileSync(setting.path('.deepwork/config.yml'), 'utf8');
  expect(config).toContain('`deepwork --help` says where');
  const help = (await command(['--help'], { cwd: setting.root })).stdout;
  const [, docs = ''] = /^Documentation:\n {2}(.*)$/m.exec(help) ?? [];
  expect(readdirSync(docs)).toEqual(expect.arrayContaining(['reference.md', 'postgres.md']));
});

test('what a file holds cannot act on the terminal that shows it', async () => {
  verifies('CLIENT-1');
  const evil = '{"mcpServers": {"a\u001b[2J": {}}}';
  const setting = newSetting({ files: { '.mcp.json': evil.replace('\u001b', '\\u001b') } });
  writeFileSync(setting.path('.mcp.json'), '{\n  "a": "\u009b2J",\n  "mcpServers": {}\n}\n');
  const { stdout } = await setting.init('--dry-run', '--clients', 'claude');
  expect(stdout).toContain('"mcpServers": {');
  expect(stdout).not.toContain('\u009b');
});

test('other commands do not load what only init needs', () => {
  verifies('CLIENT-1');
  const main = readFileSync(BINARY, 'latin1');
  expect(main).not.toContain('Invalid TOML document');
  const setting = newSetting();
  const seen = execFileSync(
    process.execPath,
    [
      '-e',
      `process.argv.splice(1, 0, ${JSON.stringify(BINARY)}); require('node:fs').readFileSync = ((read) => (file, ...more) => { console.log(String(file)); return read(file, ...more); })(require('node:fs').readFileSync); require(${JSON.stringify(BINARY)});`,
      '--version',
    ],
    { env: setting.env, encoding: 'utf8' },
  );
  expect(seen).not.toContain(path.join(path.dirname(BINARY), 'init.cjs'));
});
