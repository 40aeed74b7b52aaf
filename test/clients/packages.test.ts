// The packages for clients and registries agree with the program that they bring: the same
// version, and the same server and hooks as `deepwork init` writes.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { CLIENTS, type ClientId } from '../../src/init/clients.ts';

const ROOT = new URL('../../', import.meta.url);

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
function json(file: string): any {
  return JSON.parse(readFileSync(fileURLToPath(new URL(file, ROOT)), 'utf8'));
}

/** What init puts at a path of a client's files, with `deepwork` on the PATH. */
function fromInit(id: ClientId, path: readonly string[]): unknown {
  const client = CLIENTS.find((each) => each.id === id);
  const request = { words: ['deepwork'], hooks: true, exists: () => false, opencodePlugin: '' };
  const files = client?.files({ ...request, words: ['deepwork'] }) ?? [];
  const entries = files.flatMap((file) => (file.kind === 'json' ? file.entries : []));
  return entries.find((entry) => entry.path.join('.') === path.join('.'))?.value;
}

test('every package has the version of the program', () => {
  const { version } = json('package.json');
  const server = json('server.json');
  expect(server.version).toBe(version);
  for (const each of server.packages) expect(each.version).toBe(version);
  for (const file of [
    'plugins/claude-code/.claude-plugin/plugin.json',
    'plugins/gemini/gemini-extension.json',
    'plugins/mcpb/manifest.json',
  ]) {
    expect(json(file).version, file).toBe(version);
  }
});

test.each([
  ['claude', 'plugins/claude-code/hooks/hooks.json', ['SessionStart', 'Stop', 'PreToolUse']],
  ['gemini', 'plugins/gemini/hooks/hooks.json', ['SessionStart', 'AfterAgent', 'BeforeTool']],
] as const)('the hooks of the package for %s are those of init', (id, file, events) => {
  const { hooks } = json(file);
  expect(Object.keys(hooks)).toEqual(events);
  for (const event of events) {
    // They stand back where a project's settings have the same hook.
    const own = JSON.stringify(hooks[event]).replaceAll(' --plugin"', '"');
    expect(own).not.toEqual(JSON.stringify(hooks[event]));
    expect(JSON.parse(own)).toEqual([fromInit(id, ['hooks', event])]);
  }
});

test('the server of the plugin for Claude Code is that of init', () => {
  const { mcpServers } = json('plugins/claude-code/.mcp.json');
  expect(mcpServers).toEqual({ deepwork: fromInit('claude', ['mcpServers', 'deepwork']) });
});

test('server.json is as the MCP registry wants it, and the package is known by its name', () => {
  const { mcpName, name } = json('package.json');
  const server = json('server.json');
  expect(server.$schema).toMatch(/^https:\/\/static\.modelcontextprotocol\.io\/schemas\/[\d-]+\//);
  expect(server.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
  expect(server.name).toBe(mcpName);
  expect(server.description.length).toBeLessThanOrEqual(100);
  expect(server.packages).toMatchObject([
    { registryType: 'npm', identifier: name, transport: { type: 'stdio' } },
  ]);
  const args = server.packages[0].packageArguments;
  expect(args.map((arg: { value?: string; name?: string }) => arg.value ?? arg.name)).toEqual([
    ...['serve', '--path'],
  ]);
});
