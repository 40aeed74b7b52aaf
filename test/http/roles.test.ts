// What is shown to whom: the coordinator's tools do not exist for others, in any era and over
// stdio.

import { expect, test } from 'vitest';
import { operations, operationsFor } from '../../src/operations/table.ts';
import { TOOLSETS } from '../../src/operations/toolsets.ts';
import { ERAS } from '../support/calls.ts';
import { connect } from '../support/connect.ts';
import { connectOverHttp, HTTP_ERAS } from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { newProject } from '../support/project.ts';
import { verifies } from '../verifies.ts';

type Client = Awaited<ReturnType<typeof connectOverHttp>>;

const namesFor = (coordinator: boolean) =>
  operationsFor({ toolsets: TOOLSETS, coordinator })
    .map(({ name }) => name)
    .sort();

const GATED = operations.filter(({ coordinatorOnly }) => coordinatorOnly);

async function sees(client: Client, coordinator: boolean): Promise<void> {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(namesFor(coordinator));
  const unknown = await refusalOf(client, 'no_such_tool');
  expect(unknown).toEqual({ code: -32602, message: 'unknown tool "no_such_tool"' });
  if (coordinator) return;
  for (const { name } of GATED) {
    expect(await refusalOf(client, name)).toEqual({
      code: -32602,
      message: `unknown tool "${name}"`,
    });
  }
}

async function refusalOf(client: Client, name: string) {
  const error = await client.callTool({ name, arguments: {} }).then(
    () => ({ code: 0, message: 'it was run' }),
    (thrown: unknown) => thrown as { code: number; message: string },
  );
  return { code: error.code, message: error.message.replace(/^MCP error -?\d+: /, '') };
}

test.each(HTTP_ERAS)(
  'over HTTP, tools are listed by the identity of each request: %s',
  async (era) => {
    verifies('TEAM-3');
    const { url } = await serveHttpInProcess(newProject().root);
    await sees(await connectOverHttp(url, { era }), true);
    for (const identity of ['worker', 'Coordinator', 'worker|coordinator']) {
      const headers = { 'x-sgai-agent-identity': identity };
      await sees(await connectOverHttp(url, { era, headers }), false);
    }
  },
);

test('others see six tools of the team, and never the status complete', async () => {
  verifies('TEAM-3');
  const { url } = await serveHttpInProcess(newProject().root, { args: ['--tools', 'team'] });
  const worker = await connectOverHttp(url, { headers: { 'x-sgai-agent-identity': 'worker' } });
  const { tools } = await worker.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    'check_inbox',
    'check_outbox',
    'find_skills',
    'find_snippets',
    'send_message',
    'update_workflow_state',
  ]);
  const status = { name: 'update_workflow_state', arguments: { status: 'complete' } };
  const refused = await worker.callTool(status);
  expect(refused.isError).toBe(true);
  const coordinator = await connectOverHttp(url);
  expect((await coordinator.callTool(status)).isError).toBeFalsy();
});

test.each(ERAS)('over stdio, tools are listed by the option or environment: %s', async (era) => {
  verifies('TEAM-3');
  const { root } = newProject();
  await sees((await connect(root, { era })).client, true);
  await sees((await connect(root, { era, args: ['--agent', 'worker'] })).client, false);
  const env = { SGAI_AGENT_IDENTITY: 'worker|opus' };
  await sees((await connect(root, { era, env })).client, false);
});
