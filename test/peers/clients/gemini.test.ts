// Gemini CLI connects over every transport, with the command that deepwork prints for it.

import { expect, test } from 'vitest';
import { programOf, setStage } from './stage.ts';

test('Gemini CLI connects', async (context) => {
  const stage = await setStage();
  const gemini = programOf(stage, context, '@google/gemini-cli/bundle/gemini.js');
  // It connects only in folders that its user trusts.
  const trust = { GEMINI_CLI_TRUST_WORKSPACE: 'true' };
  const mcp = (...args: string[]) => stage.run(stage.peers.node, [gemini, 'mcp', ...args], trust);

  const [, , ...printed] = stage.hint('Gemini CLI').split(' ');
  expect(await mcp(...printed)).toMatchObject({ code: 0 });
  expect(await mcp('add', 'over-stdio', ...stage.stdio)).toMatchObject({ code: 0 });
  const sse = ['--transport', 'sse', 'over-sse', `${stage.url}/sse`];
  expect(await mcp('add', ...sse)).toMatchObject({ code: 0 });
  const dead = ['--transport', 'http', 'nobody', `${stage.deadUrl}/mcp`];
  expect(await mcp('add', ...dead)).toMatchObject({ code: 0 });

  const { text } = await mcp('list');
  for (const name of ['deepwork', 'over-stdio', 'over-sse']) {
    expect(text).toMatch(new RegExp(`${name}: .* - Connected$`, 'm'));
  }
  expect(text).toMatch(/nobody: .* - Disconnected$/m);
});
