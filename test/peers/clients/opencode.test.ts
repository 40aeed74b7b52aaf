// opencode connects over every transport, with the settings that deepwork prints for it.

import { expect, test } from 'vitest';
import { MACHINE, programOf, setStage } from './stage.ts';

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
  for (const name of ['deepwork', 'over-stdio', 'over-sse']) {
    expect(text).toMatch(new RegExp(`✓ ${name} +connected`));
  }
  expect(text).not.toMatch(/✓ nobody/);
});
