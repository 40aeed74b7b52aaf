// Each client connects over every transport, with the command or the settings that deepwork prints
// for it. A server that does not exist is configured, too, and is not shown as connected.

import { expect, test } from 'vitest';
import { askCodex } from './ask-codex.ts';
import { MACHINE, programOf, type Stage, setStage } from './stage.ts';

const CONNECTED = ['deepwork', 'over-stdio', 'over-sse'];

/** Adds every server with `mcp add`, ours as deepwork prints it, and gives what `mcp list` says. */
async function listAfterAdding(
  stage: Stage,
  agent: string,
  stdio: readonly string[],
  mcp: (...args: string[]) => ReturnType<Stage['run']>,
): Promise<string> {
  const [, , ...printed] = stage.hint(agent).split(' ');
  for (const args of [
    printed,
    ['add', 'over-stdio', ...stdio],
    ['add', '--transport', 'sse', 'over-sse', `${stage.url}/sse`],
    ['add', '--transport', 'http', 'nobody', `${stage.deadUrl}/mcp`],
  ]) {
    expect(await mcp(...args)).toMatchObject({ code: 0 });
  }
  return (await mcp('list')).text;
}

test('Claude Code connects', async (context) => {
  const stage = await setStage();
  const claude = programOf(stage, context, `@anthropic-ai/claude-code-${MACHINE}/claude`);
  const mcp = (...args: string[]) => stage.run(claude, ['mcp', ...args]);
  const text = await listAfterAdding(stage, 'Claude Code', ['--', ...stage.stdio], mcp);
  for (const name of CONNECTED) {
    expect(text).toMatch(new RegExp(`^${name}: .* Connected$`, 'm'));
  }
  expect(text).not.toMatch(/^nobody: .* Connected$/m);
});

test('Gemini CLI connects', async (context) => {
  const stage = await setStage();
  const gemini = programOf(stage, context, '@google/gemini-cli/bundle/gemini.js');
  // It connects only in folders that its user trusts.
  const trust = { GEMINI_CLI_TRUST_WORKSPACE: 'true' };
  const mcp = (...args: string[]) => stage.run(stage.peers.node, [gemini, 'mcp', ...args], trust);
  const text = await listAfterAdding(stage, 'Gemini CLI', stage.stdio, mcp);
  for (const name of CONNECTED) {
    expect(text).toMatch(new RegExp(`${name}: .* - Connected$`, 'm'));
  }
  expect(text).toMatch(/nobody: .* - Disconnected$/m);
});

test('opencode connects', async (context) => {
  const stage = await setStage();
  const opencode = programOf(stage, context, `opencode-${MACHINE}/bin/opencode`);

  const [file = '', settings = ''] = stage.hint('opencode').split(/ +(.*)/);
  const { mcp } = JSON.parse(settings);
  const servers = {
    ...mcp,
    'over-stdio': { type: 'local', command: stage.stdio },
    'over-sse': { type: 'remote', url: `${stage.url}/sse` },
    nobody: { type: 'remote', url: `${stage.deadUrl}/mcp` },
  };
  stage.project.write(file, JSON.stringify({ mcp: servers }));

  const { text } = await stage.run(opencode, ['mcp', 'list']);
  for (const name of CONNECTED) {
    expect(text).toMatch(new RegExp(`✓ ${name} +connected`));
  }
  expect(text).not.toMatch(/✓ nobody/);
});

interface ServerStatus {
  readonly name: string;
  readonly serverInfo: { readonly name: string } | null;
  readonly tools: Readonly<Record<string, unknown>>;
}

/** Its `mcp list` only shows what is configured: its app server knows the tools that it found. */
test('Codex connects', async (context) => {
  const stage = await setStage();
  const codex = programOf(stage, context, '@openai/codex/bin/codex.js');
  const mcp = (...args: string[]) => stage.run(stage.peers.node, [codex, 'mcp', ...args]);

  const [, , ...printed] = stage.hint('Codex').split(' ');
  expect(await mcp(...printed)).toMatchObject({ code: 0 });
  expect(await mcp('add', 'over-stdio', '--', ...stage.stdio)).toMatchObject({ code: 0 });
  const listed = await mcp('list');
  expect(listed.text).toMatch(/^deepwork +http:.* enabled/m);
  expect(listed.text).toMatch(/^over-stdio .* enabled/m);

  const { data } = (await askCodex(stage, codex, 'mcpServerStatus/list')) as {
    data: ServerStatus[];
  };
  for (const name of ['deepwork', 'over-stdio']) {
    const server = data.find((status) => status.name === name);
    expect(server?.serverInfo?.name).toBe('deepwork');
    expect(Object.keys(server?.tools ?? {})).toContain('get_workflows');
  }
});
