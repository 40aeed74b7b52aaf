// Codex connects, with the command that deepwork prints for it. Its `mcp list` only shows what is
// configured, so its app server is asked for the tools it found.

import { expect, test } from 'vitest';
import { askCodex } from './ask-codex.ts';
import { programOf, setStage } from './stage.ts';

interface ServerStatus {
  readonly name: string;
  readonly serverInfo: { readonly name: string } | null;
  readonly tools: Readonly<Record<string, unknown>>;
}

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
