// abort_workflow: ends a session for a recorded reason, and reports what continues instead.

import { describe, expect, test } from 'vitest';
import { expectRefusal, expectWhole } from '../support/answers.ts';
import { ERAS } from '../support/calls.ts';
import { type Connection, connect } from '../support/connect.ts';
import { keptState } from '../support/kept-state.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { historyOf, readView } from '../support/saved.ts';
import { verifies } from '../verifies.ts';

function newDemo(): Project {
  const project = newProject();
  writeJob(project, 'demo', { a: {}, b: {} }, { outer: ['a', 'b'], inner: ['b', 'a'] });
  return project;
}

async function start(server: Connection, workflow_name: string): Promise<string> {
  const args = { goal: 'g', job_name: 'demo', workflow_name };
  return (await server.ok('start_workflow', args)).begin_step.session_id;
}

describe('abort_workflow', () => {
  test.each(ERAS)('aborts the top and resumes what is below (%s)', async (era) => {
    verifies('JOBS-REQ-001.6.5', 'JOBS-REQ-001.6.6', 'JOBS-REQ-001.6.7', 'JOBS-REQ-001.6.8');
    const project = newDemo();
    const server = await connect(project.root, { era });
    const outer = await start(server, 'outer');
    await server.ok('finished_step', { outputs: {} });
    const inner = await start(server, 'inner');

    const first = await server.call('abort_workflow', { explanation: 'No access to the data' });
    expect(expectWhole('abort_workflow', first)).toEqual({
      aborted_workflow: 'demo/inner',
      aborted_step: 'b',
      explanation: 'No access to the data',
      resumed_workflow: 'demo/outer',
      resumed_step: 'b',
      begin_step: expect.objectContaining({ session_id: outer, step_id: 'b' }),
      warnings: [],
      stack: [{ workflow: 'demo/outer', step: 'b', session_id: outer }],
    });
    expect(readView(project, inner)).toMatchObject({
      status: 'aborted',
      abort_reason: 'No access to the data',
    });
    expect(historyOf(project, inner).at(-1)).toBe('aborted');
    expect(readView(project, outer)).toMatchObject({ status: 'active', abort_reason: null });

    const last = await server.call('abort_workflow', { explanation: 'Given up' });
    expect(expectWhole('abort_workflow', last)).toEqual({
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
    const project = newDemo();
    const server = await connect(project.root);
    await start(server, 'outer');
    const middle = await start(server, 'inner');
    const top = await start(server, 'outer');
    await server.ok('finished_step', { outputs: {} });
    const before = keptState(project)[`tmp/session_${top}.json`];
    const answer = await server.ok('abort_workflow', { explanation: 'x', session_id: middle });
    expect(answer).toMatchObject({
      aborted_workflow: 'demo/inner',
      aborted_step: 'b',
      resumed_workflow: 'demo/outer',
      resumed_step: 'b',
      begin_step: { session_id: top, step_id: 'b' },
      stack: [
        { workflow: 'demo/outer', step: 'a' },
        { workflow: 'demo/outer', step: 'b' },
      ],
    });
    expect(keptState(project)[`tmp/session_${top}.json`]).toBe(before);
  });

  test('is final, and refuses a session that is not active', async () => {
    verifies('JOBS-REQ-001.6.4', 'JOBS-REQ-001.6.5');
    const project = newDemo();
    const server = await connect(project.root);
    const none = 'No active workflow session. Use start_workflow to begin a workflow.';
    expectRefusal(await server.call('abort_workflow', { explanation: 'x' }), none);
    const id = await start(server, 'outer');
    await server.ok('abort_workflow', { explanation: 'First reason' });
    const before = keptState(project);

    expectRefusal(await server.call('abort_workflow', { explanation: 'x' }), none);
    expectRefusal(await server.call('finished_step', { outputs: {} }), none);
    const gone = `Session '${id}' not found in active stack`;
    for (const [tool, args] of [
      ['abort_workflow', { explanation: 'Second reason' }],
      ['finished_step', { outputs: {} }],
      ['go_to_step', { step_id: 'a' }],
      ['get_active_workflow', {}],
      ['validate_step_outputs', { outputs: {} }],
    ] as const) {
      expectRefusal(await server.call(tool, { ...args, session_id: id }), gone);
    }
    expect(keptState(project)).toEqual(before);
  });

  test('is listed with an explanation that is required', async () => {
    verifies('JOBS-REQ-001.6.1', 'JOBS-REQ-001.6.2', 'JOBS-REQ-001.6.3');
    const server = await connect(newProject().root);
    const { tools } = await server.client.listTools();
    const tool = tools.find(({ name }) => name === 'abort_workflow');
    expect(tool?.inputSchema.required).toEqual(['explanation']);
    expect(Object.keys(tool?.inputSchema.properties ?? {}).sort()).toEqual([
      'explanation',
      'session_id',
    ]);
  });
});
