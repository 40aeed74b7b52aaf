// A server that runs for weeks does not keep every session that it has seen.

import { InMemoryTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { openWorkspace } from '../src/engine/workspace.ts';
import { TOOLSETS } from '../src/operations/toolsets.ts';
import { stdioCaller } from '../src/server/caller-identity.ts';
import { createMcpServer } from '../src/server/mcp.ts';
import { newClient } from './support/calls.ts';
import { newProject, writeJob } from './support/project.ts';

test('ended sessions are released except for the last few, and read again when needed', async () => {
  const project = newProject();
  writeJob(project, 'demo', { a: { outputs: { o: 'file' } } }, { main: ['a'] });
  const workspace = openWorkspace({ projectRoot: project.root });
  onTestFinished(() => workspace.stop());
  const identity = stdioCaller({});
  const log = { call() {}, fault: () => '' };
  const server = createMcpServer({ workspace, identity: () => identity, toolsets: TOOLSETS, log });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs);
  const client = newClient();
  await client.connect(ours);
  onTestFinished(() => client.close());
  const call = async (name: string, given: Record<string, unknown>) => {
    const { structuredContent } = await client.callTool({ name, arguments: given });
    // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
    return structuredContent as any;
  };

  const ids: string[] = [];
  for (let times = 0; times < 40; times++) {
    const started = { goal: 'g', job_name: 'demo', workflow_name: 'main' };
    ids.push((await call('start_workflow', started)).begin_step.session_id);
    await call('abort_workflow', { explanation: 'Enough' });
  }
  const load = (id: string | undefined) => workspace.store.load(id ?? '');
  const last = await load(ids.at(-1));
  expect(await load(ids.at(-1))).toBe(last);
  const first = await load(ids[0]);
  expect(first).toMatchObject({ status: 'aborted' });
  for (const id of ids.slice(1)) await load(id);
  const again = await load(ids[0]);
  expect(again).toEqual(first);
  // Another object: the earlier one was not kept.
  expect(again).not.toBe(first);
});
