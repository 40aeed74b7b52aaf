// Inspector's command line lists and calls tools over stdio, /mcp and /sse, in both eras.

import { expect, test } from 'vitest';
import { type Stage, setStage } from './stage.ts';

const PROGRAM = '@modelcontextprotocol/inspector/clients/launcher/build/index.js';

const TRANSPORTS = {
  stdio: ({ stdio }: Stage) => ['--', ...stdio],
  '/mcp': ({ url }: Stage) => ['--server-url', `${url}/mcp`],
  '/sse': ({ url }: Stage) => ['--server-url', `${url}/sse`],
};

/** The newer era has no /sse, so there a client of both eras uses the older one. */
const WAYS = [
  ['stdio', 'legacy'],
  ['stdio', 'modern'],
  ['/mcp', 'legacy'],
  ['/mcp', 'modern'],
  ['/sse', 'legacy'],
  ['/sse', 'auto'],
] as const;

function inspect(stage: Stage, [transport, era]: (typeof WAYS)[number], method: string[]) {
  return stage.run(stage.peers.node, [
    ...[stage.peers.file(PROGRAM), '--cli', '--format', 'json', '--quiet'],
    ...['--protocol-era', era, '--method', ...method],
    ...TRANSPORTS[transport](stage),
  ]);
}

test.for(WAYS)('Inspector lists and calls tools: %s, %s', async (way) => {
  const stage = await setStage();

  const listed = await inspect(stage, way, ['tools/list', '--strict']);
  expect(listed.code, listed.text).toBe(0);
  const names = JSON.parse(listed.stdout).result.tools.map(({ name }: { name: string }) => name);
  expect(names).toContain('get_workflows');
  expect(names).toEqual([...names].sort());

  const called = await inspect(stage, way, ['tools/call', '--tool-name', 'get_workflows']);
  expect(called.code, called.text).toBe(0);
  const { content, structuredContent } = JSON.parse(called.stdout).result;
  expect(structuredContent.jobs).toContainEqual(expect.objectContaining({ name: 'deepwork_jobs' }));
  expect(JSON.parse(content[0].text)).toEqual(structuredContent);
});
