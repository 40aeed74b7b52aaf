// Claude Code connects over every transport, with the command that deepwork prints for it.

import { expect, test } from 'vitest';
import { MACHINE, programOf, setStage } from './stage.ts';

test('Claude Code connects', async (context) => {
  const stage = await setStage();
  const claude = programOf(stage, context, `@anthropic-ai/claude-code-${MACHINE}/claude`);
  const mcp = (...args: string[]) => stage.run(claude, ['mcp', ...args]);

  const [, , ...printed] = stage.hint('Claude Code').split(' ');
  expect(await mcp(...printed)).toMatchObject({ code: 0 });
  expect(await mcp('add', 'over-stdio', '--', ...stage.stdio)).toMatchObject({ code: 0 });
  const sse = ['--transport', 'sse', 'over-sse', `${stage.url}/sse`];
  expect(await mcp('add', ...sse)).toMatchObject({ code: 0 });
  const dead = ['--transport', 'http', 'nobody', `${stage.deadUrl}/mcp`];
  expect(await mcp('add', ...dead)).toMatchObject({ code: 0 });

  const { text } = await mcp('list');
  for (const name of ['deepwork', 'over-stdio', 'over-sse']) {
    expect(text).toMatch(new RegExp(`^${name}: .* Connected$`, 'm'));
  }
  expect(text).not.toMatch(/^nobody: .* Connected$/m);
});
