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
import { ALL, newSetting, type Setting } from './init-project.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** As editors write it; they put the path in its place. */
const WORKSPACE = `\${workspaceFolder}`;
const SERVE = { command: 'deepwork', args: ['serve', '--path', '.'] };

const hook = (command: string, timeout: number, matcher?: string) => ({
  ...(matcher === undefined ? {} : { matcher }),
  hooks: [{ type: 'command', command, timeout }],
});

const json = (setting: Setting, file: string) => parse(readFileSync(setting.path(file), 'utf8'));

describe('each client gets its entry and its hooks', () => {
  const EXPECTED: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    claude: {
      '.mcp.json': { mcpServers: { deepwork: SERVE } },
      '.claude/settings.json': {
        hooks: {
          SessionStart: [hook('deepwork hook claude start', 15)],
          Stop: [hook('deepwork hook claude stop', 15)],
          PreToolUse: [hook('deepwork hook claude tool', 15, 'Write|Edit|MultiEdit|NotebookEdit')],
        },
      },
    },
    codex: {
      '.codex/hooks.json': {
        hooks: {
          SessionStart: [hook('deepwork hook codex start', 15)],
          Stop: [hook('deepwork hook codex stop', 15)],
          PreToolUse: [hook('deepwork hook codex tool', 15, 'apply_patch|Edit|Write')],
        },
      },
    },
    gemini: {
      '.gemini/settings.json': {
        mcpServers: { deepwork: SERVE },
        hooks: {
          SessionStart: [hook('deepwork hook gemini start', 15_000)],
          AfterAgent: [hook('deepwork hook gemini stop', 15_000)],
          BeforeTool: [hook('deepwork hook gemini tool', 15_000, 'write_file|replace')],
        },
      },
    },
    opencode: {
      'opencode.json': {
        $schema: 'https://opencode.ai/config.json',
        mcp: {
          deepwork: {
            type: 'local',
            command: ['deepwork', 'serve', '--path', '.'],
            enabled: true,
          },
        },
      },
    },
    cursor: {
      '.cursor/mcp.json': {
        mcpServers: {
          deepwork: { command: 'deepwork', args: ['serve', '--path', WORKSPACE] },
        },
      },
    },
    vscode: {
      '.vscode/mcp.json': {
        servers: {
          deepwork: {
            type: 'stdio',
            command: 'deepwork',
            args: ['serve', '--path', WORKSPACE],
          },
        },
      },
    },
  };

  test.each(Object.entries(EXPECTED))('%s', async (client, files) => {
    verifies('CLIENT-1');
    const setting = newSetting();
    const { code, stdout } = await setting.init('--yes', '--clients', client, '--template', 'none');
    expect([code, stdout]).toEqual([0, expect.stringContaining('Written.')]);
    expect(stdout).not.toContain('Warning');
    for (const [file, value] of Object.entries(files)) {
      expect(json(setting, file)).toEqual(value);
      expect(stdout).toContain(`+++ ${file}\n`);
    }
    const more = { codex: ['.codex/config.toml'], opencode: ['.opencode/plugins/deepwork.js'] };
    const own = ['.deepwork/config.yml', '.deepwork/init.json'];
    const written = Object.entries(setting.snapshot()).flatMap(([file, content]) =>
      content.startsWith('100') ? [file] : [],
    );
    const others = more[client as keyof typeof more] ?? [];
    expect(written).toEqual([...own, ...Object.keys(files), ...others].sort());
    expect(readdirSync(setting.home)).toEqual([]);
  });

  test('codex: a table in .codex/config.toml', async () => {
    verifies('CLIENT-1');
    const setting = newSetting();
    await setting.init('--yes', '--clients', 'codex');
    expect(readFileSync(setting.path('.codex/config.toml'), 'utf8')).toBe(
      '[mcp_servers.deepwork]\ncommand = "deepwork"\nargs = ["serve", "--path", "."]\n',
    );
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
    expect(json(setting, '.gemini/settings.json')).toEqual({ mcpServers: { deepwork: SERVE } });
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

test('where no client is found, init and doctor name the command that connects one', async () => {
  verifies('CLIENT-9');
  const setting = newSetting();
  const connects = 'deepwork init --clients claude';
  expect((await setting.init('--yes')).stdout).toContain(connects);
  const again = await setting.init('--yes');
  expect([again.code, again.stderr]).toEqual([0, '']);
  expect(again.stdout).toContain(
    `No client was found, so none is connected. To connect one: ${connects} (or another; see --help).\nEverything else is in place; nothing to change.\n`,
  );
  expect((await setting.init('--yes', '--clients', 'none')).stdout).toContain(
    '\n\nEverything is in place; nothing to change.\n',
  );
  const { stdout } = await command(['doctor', '--json'], { cwd: setting.root, env: setting.env });
  const { checks } = JSON.parse(stdout) as { checks: { name: string; fix: string | null }[] };
  expect(checks.find(({ name }) => name === 'clients')?.fix).toContain(connects);
});
