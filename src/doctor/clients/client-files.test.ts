import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { readClientSetups } from './client-files.ts';

function folderWith(files: Readonly<Record<string, string>>): string {
  const root = tempFolder();
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  return root;
}

const SERVE = ['deepwork', 'serve', '--path', '.'];

test('each client is found by the files that deepwork init writes', () => {
  const server = { command: 'deepwork', args: ['serve', '--path', '.'] };
  const mcpServers = { deepwork: server, other: { command: 'other' } };
  const hooks = {
    AfterAgent: [{ hooks: [{ type: 'command', command: "'/a b/deepwork' hook gemini stop" }] }],
    BeforeTool: [{ hooks: [{ type: 'command', command: 'prettier --write' }] }, 7],
  };
  const root = folderWith({
    '.mcp.json': `// mine\n${JSON.stringify({ mcpServers })}`,
    '.codex/config.toml':
      'model = "x"\n[mcp_servers.deepwork] # ours\ncommand = "deepwork"\nargs = [\n  "serve", "--path", # here\n  \'.\',\n]\n[other]\ncommand = "y"\n',
    '.gemini/settings.json': JSON.stringify({ mcpServers, hooks }),
    'opencode.jsonc': `{"mcp": {"deepwork": {"type": "local", "command": ${JSON.stringify(SERVE)},},},}`,
    '.opencode/plugins/deepwork.js': '// x\nconst DEEPWORK = ["/opt/deepwork"];\n',
    '.cursor/mcp.json': JSON.stringify({ mcpServers }),
    '.vscode/mcp.json': JSON.stringify({ servers: mcpServers }),
  });
  const setups = readClientSetups(root, tempFolder());
  expect(setups.map(({ id }) => id)).toEqual([
    ...['claude', 'codex', 'gemini', 'opencode', 'cursor', 'vscode'],
  ]);
  for (const { id, servers, unreadable } of setups) {
    expect(unreadable, id).toEqual([]);
    expect(
      servers.map(({ words }) => words),
      id,
    ).toEqual([SERVE]);
  }
  const hooksOf = (name: string) =>
    setups.find(({ id }) => id === name)?.hooks.map(({ words }) => words?.join('|'));
  expect(hooksOf('gemini')).toEqual(['/a b/deepwork|hook|gemini|stop']);
  expect(hooksOf('opencode')).toEqual(
    ['start', 'stop', 'tool'].map((moment) => `/opt/deepwork|hook|opencode|${moment}`),
  );
});

test("settings for all of a user's projects count, too", () => {
  const root = tempFolder();
  const own = { deepwork: { command: 'deepwork', args: ['serve'] } };
  const there = { deepwork: { type: 'http', url: 'http://127.0.0.1:8000/mcp' } };
  const home = folderWith({
    '.claude.json': JSON.stringify({
      mcpServers: own,
      projects: { [root]: { mcpServers: there }, '/elsewhere': { mcpServers: own } },
    }),
    '.claude/settings.json': JSON.stringify({ enabledPlugins: { 'deepwork@deepwork': true } }),
  });
  expect(readClientSetups(root, home)).toMatchObject([
    {
      id: 'claude',
      plugin: '~/.claude/settings.json',
      servers: [
        { file: '~/.claude.json', words: ['deepwork', 'serve'], url: null },
        { file: '~/.claude.json', words: null, url: 'http://127.0.0.1:8000/mcp' },
      ],
    },
  ]);
});

test('a hook that needs a shell is found, but is not started', () => {
  const command = '[ -x ~/bin/deepwork ] && ~/bin/deepwork hook claude stop';
  const root = folderWith({
    '.claude/settings.json': JSON.stringify({ hooks: { Stop: [{ hooks: [{ command }] }] } }),
  });
  const [claude] = readClientSetups(root, tempFolder());
  expect(claude?.hooks).toEqual([
    { file: '.claude/settings.json', words: null, text: command, url: null },
  ]);
});
