// deepwork init, through the built command: what each client gets, and that projects of all
// kinds lose nothing, stay as they are on a second run, and are byte for byte what they were
// after --undo.

import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { VERSION } from '../../src/version.ts';
import { command } from '../support/command.ts';
import { newRepository } from '../support/repository.ts';
import { run } from '../support/run-command.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';
import { ALL, filesOf, newSetting, type Setting } from './init-project.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const json = (setting: Setting, file: string) => parse(readFileSync(setting.path(file), 'utf8'));

describe('each client gets its entry and its hooks', () => {
  test.each([
    ['claude', ['.claude/settings.json', '.mcp.json']],
    ['codex', ['.codex/config.toml', '.codex/hooks.json']],
    ['gemini', ['.gemini/settings.json']],
    ['opencode', ['.opencode/plugins/deepwork.js', 'opencode.json']],
    ['cursor', ['.cursor/mcp.json']],
    ['vscode', ['.vscode/mcp.json']],
  ])('%s, in %j and nowhere else', async (client, files) => {
    verifies('CLIENT-1');
    const setting = newSetting();
    const { code, stdout } = await setting.init('--yes', '--clients', client, '--template', 'none');
    expect(code).toBe(0);
    const own = ['.deepwork/config.yml', '.deepwork/init.json'];
    expect(filesOf(setting)).toEqual([...own, ...files].sort());
    for (const file of files) expect(stdout).toContain(`+++ ${file}\n`);
    expect(readdirSync(setting.home)).toEqual([]);
  });

  test('opencode: a plugin that loads', async () => {
    verifies('CLIENT-1');
    const setting = newSetting();
    await setting.init('--yes', '--clients', 'opencode');
    const file = setting.path('.opencode/plugins/deepwork.js');
    expect(readFileSync(file, 'utf8')).toContain('const DEEPWORK = ["deepwork"];');
    const { Deepwork } = await import(file);
    const plugin = await Deepwork({ client: {}, directory: setting.root });
    expect(Object.keys(plugin)).toContain('tool.execute.before');
  });

  test('only the server with --no-hooks, nothing with none', async () => {
    verifies('CLIENT-1');
    const setting = newSetting();
    await setting.init('--yes', '--clients', 'none', '--template', 'none');
    expect(Object.keys(setting.snapshot())).toEqual([
      '.deepwork',
      '.deepwork/config.yml',
      '.deepwork/init.json',
    ]);
    await setting.init('--yes', '--clients', ALL, '--no-hooks');
    const files = Object.keys(setting.snapshot());
    expect(files).toContain('.mcp.json');
    for (const file of ['.claude', '.codex/hooks.json', '.opencode'])
      expect(files).not.toContain(file);
    expect(Object.keys(json(setting, '.gemini/settings.json'))).toEqual(['mcpServers']);
    await setting.init('--yes', '--clients', ALL);
    expect(Object.keys(json(setting, '.gemini/settings.json'))).toEqual(['mcpServers', 'hooks']);
    expect((await setting.init('--undo', '--yes')).code).toBe(0);
    expect(setting.snapshot()).toEqual({});
  });

  test('those that are installed, or used here, if none is named', async () => {
    verifies('CLIENT-1');
    const setting = newSetting({ files: { '.cursor/rules/a.mdc': 'x' } });
    const codex = path.join(setting.home, '../bin/codex');
    cpSync('/bin/true', codex);
    chmodSync(codex, 0o755);
    await setting.init('--yes');
    const files = Object.keys(setting.snapshot()).filter((file) => /mcp|codex\//.test(file));
    expect(files).toEqual(['.codex/config.toml', '.codex/hooks.json', '.cursor/mcp.json']);
  });
});

const CLAUDE_SETTINGS = `{
  "permissions": { "allow": ["Bash(ls:*)"] },
  "hooks": {
    "Stop": [
      { "hooks": [{ "type": "command", "command": "./mine.sh" }] }
    ],
    "PostToolUse": []
  }
}
`;
const COMMENTED = `// Ours
{
\t/* servers */
\t"servers": {
\t\t"other": { "command": "x" }, // keep
\t},
\t"inputs": [], // none
}
`;
const TOML = `# Mine
model = "o5" # fast

[mcp_servers.other]
command = "x"
args = ["a"] # b

[projects."/x y"]
trust_level = "trusted"`;

/** Projects as people have them. What is broken is named by the path of the file. */
const PROJECTS: Readonly<
  Record<string, { files?: Record<string, string>; name?: string; broken?: string[]; git?: true }>
> = {
  'that is empty': {},
  'in a git repository': { git: true, files: { 'README.md': '# x\n' } },
  'in a folder with spaces': { name: "it's my project", files: { 'a b.md': 'x' } },
  'with files of Claude Code': {
    files: {
      '.mcp.json': '{"mcpServers": {"other": {"command": "x"}}}',
      '.claude/settings.json': CLAUDE_SETTINGS,
      '.claude/commands/mine.md': 'Do it\n',
    },
  },
  'with files of Codex and Gemini CLI': {
    files: {
      '.codex/config.toml': TOML,
      '.codex/hooks.json': '{\n    "hooks": {}\n}\n',
      '.gemini/settings.json': '{\n  "theme": "x",\n  "mcpServers": {}\n}',
    },
  },
  'with files of the others': {
    files: {
      'opencode.jsonc': '{\n  // mine\n  "model": "x"\n}\n',
      '.opencode/plugins/other.js': 'export const A = async () => ({});\n',
      '.cursor/mcp.json': '{ "mcpServers": { "a": { "url": "http://x" } } }\n',
      '.vscode/mcp.json': '{}\n',
      '.vscode/settings.json': '{}\n',
    },
  },
  'with comments and trailing commas': {
    files: { '.vscode/mcp.json': COMMENTED, '.cursor/mcp.json': '{\n  // nothing yet\n}\n' },
  },
  'with CRLF and byte order marks': {
    files: {
      '.vscode/mcp.json': COMMENTED.replaceAll('\n', '\r\n'),
      '.mcp.json': '\ufeff{\r\n    "mcpServers": {\r\n        "a": {}\r\n    }\r\n}',
      '.codex/config.toml': TOML.replaceAll('\n', '\r\n'),
      '.claude/settings.json': '',
    },
  },
  'with broken JSON': {
    files: {
      '.mcp.json': '{"mcpServers": {',
      '.claude/settings.json': '[]',
      'opencode.json': '{} x',
    },
    broken: ['.mcp.json', '.claude/settings.json', 'opencode.json'],
  },
  'with broken TOML': {
    files: { '.codex/config.toml': 'a = \n[b\n', '.codex/hooks.json': '{"hooks": {"Stop": "x"}}' },
    broken: ['.codex/config.toml', '.codex/hooks.json'],
  },
  'with jobs and settings of its own': {
    files: {
      '.deepwork/config.yml': 'git: {branch: off}\n',
      '.deepwork/jobs/mine/job.yml': 'name: mine\n',
      '.mcp.json': '{"mcpServers": {"deepwork": {"command": "my-deepwork"}}}',
    },
  },
};

describe.each(Object.entries(PROJECTS))(
  'a project %s',
  (_name, { broken = [], git, ...options }) => {
    test('is set up once, and byte for byte what it was after --undo', async () => {
      verifies('CLIENT-1');
      const setting = newSetting(options);
      if (git) newRepository(setting.root);
      const before = setting.snapshot();
      const shown = await setting.init('--dry-run', '--clients', ALL);
      expect([shown.code, shown.stderr]).toEqual([0, '']);
      expect(setting.snapshot()).toEqual(before);
      const unasked = await setting.init('--clients', ALL);
      expect([unasked.code, unasked.stdout]).toEqual([1, expect.stringContaining('--yes')]);
      expect(setting.snapshot()).toEqual(before);

      const first = await setting.init('--yes', '--clients', ALL);
      expect([first.code, first.stderr]).toEqual([broken.length > 0 ? 1 : 0, '']);
      for (const file of broken) expect(first.stdout).toContain(`Left alone: ${file} `);
      const after = setting.snapshot();
      for (const [file, content] of Object.entries(before)) {
        // What was there is changed by insertions only, and what is broken not at all.
        const isOwn = file.startsWith('.deepwork') || broken.includes(file);
        if (isOwn) expect(after[file]).toBe(content);
        expect(shown.stdout.includes(`--- ${file}\n`)).toBe(after[file] !== content);
      }
      for (const file of Object.keys(after)) {
        const isNew = before[file] === undefined && after[file]?.startsWith('100');
        if (isNew) expect(shown.stdout).toContain(`+++ ${file}\n`);
      }

      const second = await setting.init('--yes', '--clients', ALL);
      expect(second.code).toBe(broken.length > 0 ? 1 : 0);
      const rest = broken.length > 0 ? 'Nothing else has to be changed.' : 'Everything is in place';
      expect(second.stdout).toContain(rest);
      expect(setting.snapshot()).toEqual(after);

      const undone = await setting.init('--undo', '--yes');
      expect([undone.code, undone.stderr]).toEqual([0, '']);
      expect(setting.snapshot()).toEqual(before);
      expect((await setting.init('--undo', '--yes')).stdout).toContain('nothing to undo');
    });
  },
);

test('what is put in starts the server, and hooks run in a shell, from a folder with spaces', async () => {
  verifies('CLIENT-1');
  const place = path.join(tempFolder(), "a program's folder");
  for (const part of ['dist', 'templates', 'plugins', 'standard_jobs', 'standard_workflows']) {
    cpSync(path.join(ROOT, part), path.join(place, part), { recursive: true });
  }
  const program = path.join(place, 'dist/main.cjs');
  for (const mode of [0o755, 0o644]) {
    chmodSync(program, mode);
    const setting = newSetting({ isInstalled: false });
    const args = ['init', '--yes', '--clients', 'claude'];
    const made = await run(process.execPath, [program, ...args], {
      cwd: setting.root,
      env: setting.env,
    });
    expect([made.code, made.stdout]).toEqual([0, expect.stringContaining(`given ${program}`)]);
    const { command, args: words } = json(setting, '.mcp.json').mcpServers.deepwork;
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    };
    const input = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`;
    const served = await run(command, words, { cwd: setting.root, env: setting.env, input });
    expect(JSON.parse(served.stdout).result.serverInfo.name).toBe('deepwork');
    const [start] = json(setting, '.claude/settings.json').hooks.SessionStart;
    const line: string = start.hooks[0].command;
    expect(line.endsWith(' hook claude start')).toBe(true);
    const shell = line.replace(/ hook claude start$/, ' --version');
    const said = execFileSync('/bin/sh', ['-c', shell], { env: setting.env, encoding: 'utf8' });
    expect(said).toBe(`${VERSION}\n`);
  }
});

test('a program that moved is given its new path, and its old one is gone', async () => {
  verifies('CLIENT-1');
  const setting = newSetting({ isInstalled: false, files: { '.mcp.json': '{"mcpServers": {}}' } });
  const before = setting.snapshot();
  await setting.init('--yes', '--clients', ALL);
  expect(json(setting, '.mcp.json').mcpServers.deepwork.command).not.toBe('deepwork');
  const installed = { ...setting.env, PATH: newSetting().env.PATH as string };
  const again = ['init', '--yes', '--clients', ALL];
  expect((await command(again, { cwd: setting.root, env: installed })).code).toBe(0);
  const fresh = newSetting({ files: { '.mcp.json': '{"mcpServers": {}}' } });
  await fresh.init('--yes', '--clients', ALL);
  expect(setting.snapshot()).toEqual(fresh.snapshot());
  await setting.init('--undo', '--yes');
  expect(setting.snapshot()).toEqual(before);
});
