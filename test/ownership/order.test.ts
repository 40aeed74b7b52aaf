// The order of events is recorded, so neither a clock that goes back nor the work of others
// decides which step a call finishes or which answer is repeated.

import { expect, test } from 'vitest';
import { connect, connectToProcess, type ProcessConnection } from '../support/connect.ts';
import { connectOverHttp, serveOverHttp } from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { readView } from '../support/saved.ts';
import { removeFolder } from '../support/temp-folder.ts';
import { newDemo, START } from './demo.ts';
import { elsewhere } from './elsewhere.ts';

const HOUR = 3_600_000;

async function kill(server: ProcessConnection): Promise<void> {
  process.kill(server.pid, 'SIGKILL');
  await server.close();
}

test('a clock that goes back does not reverse the stack', async () => {
  const project = newDemo();
  // Three lives of one client's session, each an hour earlier than the one before.
  const live = (clockMs: number) =>
    connectToProcess(project.root, {
      closeAfterTest: false,
      env: { CLAUDE_CODE_SESSION_ID: 'c', ...elsewhere({ clockMs }) },
    });
  const ids: string[] = [];
  for (const hours of [0, 1, 2]) {
    const server = await live(-hours * HOUR);
    const start = { ...START, goal: `Start ${hours}` };
    const { begin_step, stack } = await server.ok('start_workflow', start);
    ids.push(begin_step.session_id);
    expect(stack).toHaveLength(hours + 1);
    await kill(server);
  }
  const server = await live(-3 * HOUR);
  const { begin_step, stack } = await server.ok('finished_step', { outputs: { result: 'a.md' } });
  expect(begin_step).toMatchObject({ session_id: ids[2], step_id: 'build' });
  expect(stack.map(({ step }: { step: string }) => step)).toEqual(['plan', 'plan', 'build']);
  for (const id of ids.slice(0, 2)) expect(readView(project, id).current_step_id).toBe('plan');
  await kill(server);

  // The same for a caller that takes the stack over, with a clock that is a day earlier.
  const heir = await connectToProcess(project.root, { env: elsewhere({ clockMs: -24 * HOUR }) });
  const done = await heir.ok('finished_step', { outputs: { result: 'a.md' }, notes: 'n' });
  expect(done.status).toBe('workflow_complete');
  expect(done.stack).toHaveLength(2);
  expect((await heir.ok('get_active_workflow')).session_id).toBe(ids[1]);
});

test('the last answer of an inner workflow is repeated although the clock went back', async () => {
  const project = newDemo();
  const env = { CLAUDE_CODE_SESSION_ID: 'c' };
  const first = await connectToProcess(project.root, { closeAfterTest: false, env });
  await first.ok('start_workflow', START);
  await first.ok('finished_step', { outputs: { result: 'a.md' } });
  await kill(first);
  const early = { env: { ...env, ...elsewhere({ clockMs: -HOUR }) } };
  const second = await connectToProcess(project.root, early);
  await second.ok('start_workflow', { ...START, workflow_name: 'short' });
  const call = { outputs: { result: 'a.md' }, notes: 'inner', step_id: 'plan' };
  const done = await second.ok('finished_step', call);
  expect(done).toMatchObject({ status: 'workflow_complete', stack: [{ step: 'build' }] });
  expect(await second.ok('finished_step', call)).toEqual(done);
});

test('a finished run is answered again for its own caller, however many others finished since', async () => {
  const project = newDemo();
  const call = { outputs: { result: 'a.md' }, notes: 'done' };
  const short = { ...START, workflow_name: 'short' };
  const unnamed = await connectToProcess(project.root, { closeAfterTest: false });
  await unnamed.ok('start_workflow', short);
  await unnamed.ok('finished_step', call);
  await kill(unnamed);

  const home = await serveOverHttp(project.root);
  const as = (name: string, { url }: { readonly url: string } = home) =>
    connectOverHttp(url, { headers: { 'x-sgai-agent-identity': name } });
  const run = async (name: string, notes: string) => {
    const client = await as(name);
    await client.callTool({ name: 'start_workflow', arguments: short });
    const { structuredContent } = await client.callTool({
      name: 'finished_step',
      arguments: { ...call, notes },
    });
    return structuredContent as object;
  };
  const first = await run('writer', 'mine');
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await run(name, 'mine');
  const again = async (server: { readonly url: string } = home) => {
    const client = await as('writer', server);
    const { structuredContent } = await client.callTool({
      name: 'finished_step',
      arguments: { ...call, notes: 'mine' },
    });
    return structuredContent;
  };
  expect(await again()).toEqual(first);
  // The index of ended sessions is a cache: without it the same is found again.
  home.child.kill('SIGKILL');
  await home.ended;
  removeFolder(project.path('.deepwork/tmp'));
  expect(await again(await serveHttpInProcess(project.root))).toEqual(first);

  const next = await connect(project.root);
  expect((await next.ok('finished_step', call)).status).toBe('workflow_complete');
});
