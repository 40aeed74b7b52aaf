// What `deepwork init` writes is understood by the real clients: each finds the server, by the
// name on the PATH, and Codex lists the hooks without a complaint.

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { BINARY } from '../../support/connect.ts';
import { askCodex } from './ask-codex.ts';
import { MACHINE, programOf, type Stage, setStage } from './stage.ts';

/** A stage on whose project `deepwork init` has run for one client. */
async function setUp(client: string, ...options: string[]): Promise<Stage> {
  const stage = await setStage();
  const bin = path.join(stage.home, 'bin');
  mkdirSync(bin);
  symlinkSync(BINARY, path.join(bin, 'deepwork'));
  const env = { ...stage.env, PATH: `${bin}${path.delimiter}${stage.env.PATH}` };
  const run: Stage['run'] = (command, args, more) => stage.run(command, args, { ...env, ...more });
  const args = ['init', '--yes', '--clients', client, ...options];
  const made = await run(process.execPath, [BINARY, ...args]);
  expect(made.code, made.text).toBe(0);
  expect(made.text).not.toContain('Warning');
  return { ...stage, env, run };
}

function writeHome(stage: Stage, file: string, text: string): void {
  const full = path.join(stage.home, file);
  mkdirSync(path.dirname(full), { recursive: true });
  writeFileSync(full, text);
}

test('Claude Code connects to what init wrote', async (context) => {
  const stage = await setUp('claude');
  const claude = programOf(stage, context, `@anthropic-ai/claude-code-${MACHINE}/claude`);
  writeHome(stage, '.claude/settings.json', '{"enableAllProjectMcpServers": true}');
  const trusted = { [stage.project.root]: { hasTrustDialogAccepted: true } };
  writeHome(stage, '.claude.json', JSON.stringify({ projects: trusted }));
  const { text } = await stage.run(claude, ['mcp', 'list']);
  expect(text).toMatch(/^deepwork: deepwork serve --path \. - .* Connected$/m);
});

test('Codex reads the server and the hooks that init wrote', async (context) => {
  const stage = await setUp('codex');
  const codex = programOf(stage, context, '@openai/codex/bin/codex.js');
  const { root } = stage.project;
  writeHome(stage, '.codex/config.toml', `[projects."${root}"]\ntrust_level = "trusted"\n`);
  const listed = await stage.run(stage.peers.node, [codex, 'mcp', 'list']);
  expect(listed.text).toMatch(/^deepwork +deepwork +serve --path \. .* enabled/m);
  const { data } = (await askCodex(stage, codex, 'hooks/list', { cwds: [root] })) as {
    data: { hooks: { command: string }[]; warnings: unknown[]; errors: unknown[] }[];
  };
  expect(data[0]).toMatchObject({ warnings: [], errors: [] });
  expect(data[0]?.hooks.map(({ command }) => command).sort()).toEqual([
    'deepwork hook codex start',
    'deepwork hook codex stop',
    'deepwork hook codex tool',
  ]);
});

test('Gemini CLI connects to what init wrote', async (context) => {
  const stage = await setUp('gemini');
  const gemini = programOf(stage, context, '@google/gemini-cli/bundle/gemini.js');
  const trust = { GEMINI_CLI_TRUST_WORKSPACE: 'true' };
  const { text } = await stage.run(stage.peers.node, [gemini, 'mcp', 'list'], trust);
  expect(text).toMatch(/deepwork: deepwork serve --path \. \(stdio\) - Connected$/m);
});

test('opencode connects to what init wrote', async (context) => {
  // With a plugin it fetches a package at start, and waits long where there is no network.
  const stage = await setUp('opencode', '--no-hooks');
  const opencode = programOf(stage, context, `opencode-${MACHINE}/bin/opencode`);
  const { text } = await stage.run(opencode, ['mcp', 'list']);
  expect(text).toMatch(/✓ deepwork +connected/);
});
