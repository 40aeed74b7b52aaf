// Codex connects, with the command that deepwork prints for it. Its `mcp list` only shows
// what is configured, so the tools that it found are asked of its app server.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { programOf, type Stage, setStage } from './stage.ts';

interface ServerStatus {
  readonly name: string;
  readonly serverInfo: { readonly name: string } | null;
  readonly tools: Readonly<Record<string, unknown>>;
}

/** What Codex's app server answers to one request, after its own handshake. */
async function askAppServer(stage: Stage, codex: string, method: string): Promise<unknown> {
  const child = spawn(stage.peers.node, [codex, 'app-server'], {
    cwd: stage.project.root,
    env: stage.env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
  const clientInfo = { name: 'deepwork-tests', title: null, version: '1' };
  send({ id: 'hello', method: 'initialize', params: { clientInfo } });
  for await (const line of createInterface({ input: child.stdout })) {
    const { id, result, error } = JSON.parse(line);
    if (error !== undefined) throw new Error(`Codex refused: ${line}`);
    if (id === 'hello') {
      send({ method: 'initialized' });
      send({ id: 'question', method, params: {} });
    }
    if (id === 'question') {
      child.stdin.end();
      return result;
    }
  }
  throw new Error('Codex ended without an answer');
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

  const { data } = (await askAppServer(stage, codex, 'mcpServerStatus/list')) as {
    data: ServerStatus[];
  };
  for (const name of ['deepwork', 'over-stdio']) {
    const server = data.find((status) => status.name === name);
    expect(server?.serverInfo?.name).toBe('deepwork');
    expect(Object.keys(server?.tools ?? {})).toContain('get_workflows');
  }
});
