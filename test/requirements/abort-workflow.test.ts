// abort_workflow: ends a session for a recorded reason, and says what continues instead.

import { expect, test } from 'vitest';
import { type Connection, connect } from '../support/connect.ts';
import { keptState } from '../support/kept-state.ts';
import { newProject, writeJob } from '../support/project.ts';
import { historyOf, readView } from '../support/saved.ts';
import { verifies } from '../verifies.ts';

async function serving() {
  const project = newProject();
  writeJob(project, 'demo', { a: {}, b: {} }, { outer: ['a', 'b'], inner: ['b', 'a'] });
  return { project, server: await connect(project.root) };
}

async function start(server: Connection, workflow_name: string): Promise<string> {
  const args = { goal: 'g', job_name: 'demo', workflow_name };
  return (await server.ok('start_workflow', args)).begin_step.session_id;
}

test('aborts the top and resumes what is below', async () => {
  verifies('JOBS-REQ-001.6.5', 'JOBS-REQ-001.6.6', 'JOBS-REQ-001.6.7', 'JOBS-REQ-001.6.8');
  const { project, server } = await serving();
  const outer = await start(server, 'outer');
  await server.ok('finished_step', { outputs: {} });
  const inner = await start(server, 'inner');
  const explanation = 'No access to the data';
  const aborted = await server.ok('abort_workflow', { explanation });
  expect(aborted).toEqual({
    aborted_workflow: 'demo/inner',
    aborted_step: 'b',
    explanation,
    resumed_workflow: 'demo/outer',
    resumed_step: 'b',
    begin_step: expect.objectContaining({ session_id: outer, step_id: 'b' }),
    warnings: [],
    stack: [{ workflow: 'demo/outer', step: 'b', session_id: outer }],
  });
  const { begin_step } = await server.ok('get_active_workflow');
  expect(aborted.begin_step).toEqual(begin_step);
  expect(readView(project, inner)).toMatchObject({ status: 'aborted', abort_reason: explanation });
  expect(historyOf(project, inner).at(-1)).toBe('aborted');
  expect(readView(project, outer)).toMatchObject({ status: 'active', abort_reason: null });

  expect(await server.ok('abort_workflow', { explanation: 'Given up' })).toEqual({
    aborted_workflow: 'demo/outer',
    aborted_step: 'b',
    explanation: 'Given up',
    resumed_workflow: null,
    resumed_step: null,
    begin_step: null,
    warnings: [],
    stack: [],
  });
});

test('in the middle of the stack does not change the top', async () => {
  verifies('JOBS-REQ-001.6.3', 'JOBS-REQ-001.6.6', 'JOBS-REQ-001.6.8');
  const { project, server } = await serving();
  await start(server, 'outer');
  const middle = await start(server, 'inner');
  const top = await start(server, 'outer');
  await server.ok('finished_step', { outputs: {} });
  const viewOfTop = () => keptState(project)[`tmp/session_${top}.json`];
  const before = viewOfTop();
  const answer = await server.ok('abort_workflow', { explanation: 'x', session_id: middle });
  expect(answer).toMatchObject({
    aborted_workflow: 'demo/inner',
    resumed_workflow: 'demo/outer',
    resumed_step: 'b',
    begin_step: { session_id: top, step_id: 'b' },
    stack: [{ step: 'a' }, { step: 'b', session_id: top }],
  });
  expect([typeof before, viewOfTop()]).toEqual(['string', before]);
});

test('requires an explanation, and takes a session_id', async () => {
  verifies('JOBS-REQ-001.6.1', 'JOBS-REQ-001.6.2', 'JOBS-REQ-001.6.3');
  const { server } = await serving();
  const { tools } = await server.client.listTools();
  const schema = tools.find(({ name }) => name === 'abort_workflow')?.inputSchema;
  expect(schema?.required).toEqual(['explanation']);
  expect(Object.keys(schema?.properties ?? {}).sort()).toEqual(['explanation', 'session_id']);
});
