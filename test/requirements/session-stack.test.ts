// Whose work a session is: workflows nest on their owner's stack, every answer shows
// that stack, and a client that names its own session keeps it over restarts.

import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/answers.ts';
import { type Connection, connect, ERAS } from '../support/connect.ts';
import { keptState } from '../support/kept-state.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { readView } from '../support/saved.ts';
import { verifies } from '../verifies.ts';

function newDemo(): Project {
  const project = newProject();
  writeJob(project, 'outer_job', { a: {}, b: {} }, { main: ['a', 'b'] });
  writeJob(project, 'inner_job', { x: {}, y: {} }, { main: ['x', 'y'] });
  return project;
}

const OUTER_A = { workflow: 'outer_job/main', step: 'a' };
const OUTER_B = { workflow: 'outer_job/main', step: 'b' };
const INNER_X = { workflow: 'inner_job/main', step: 'x' };
const INNER_Y = { workflow: 'inner_job/main', step: 'y' };

async function start(server: Connection, job_name: string): Promise<string> {
  const args = { goal: `Goal of ${job_name}`, job_name, workflow_name: 'main' };
  return (await server.ok('start_workflow', args)).begin_step.session_id;
}

describe('the stack', () => {
  test.each(ERAS)('nests, and is in every answer (%s)', async (era) => {
    verifies('JOBS-REQ-001.4.19', 'JOBS-REQ-001.4.5');
    const project = newDemo();
    const server = await connect(project.root, { era });
    const stack = async (tool: string, args: Record<string, unknown> = {}) =>
      (await server.ok(tool, args)).stack;
    expect(await stack('get_workflows')).toEqual([]);
    expect(await stack('get_active_workflow')).toEqual([]);
    const outer = await start(server, 'outer_job');
    const inner = await start(server, 'inner_job');
    expect(readView(project, inner).parent_session_id).toBe(outer);
    expect(readView(project, outer).parent_session_id).toBeNull();

    expect(await stack('get_workflows')).toEqual([OUTER_A, INNER_X]);
    expect(await stack('validate_step_outputs', { outputs: {} })).toEqual([OUTER_A, INNER_X]);
    expect(await stack('finished_step', { outputs: {} })).toEqual([OUTER_A, INNER_Y]);
    expect(await stack('go_to_step', { step_id: 'x' })).toEqual([OUTER_A, INNER_X]);
    expect(await stack('get_active_workflow')).toEqual([OUTER_A, INNER_X]);
    const third = await server.ok('start_workflow', {
      goal: 'g',
      job_name: 'inner_job',
      workflow_name: 'main',
    });
    expect(third.stack).toEqual([OUTER_A, INNER_X, INNER_X]);
    expect(await stack('abort_workflow', { explanation: 'x' })).toEqual([OUTER_A, INNER_X]);
    // Completion takes a session out wherever it stands.
    expect(await stack('finished_step', { outputs: {}, session_id: outer })).toEqual([
      OUTER_B,
      INNER_X,
    ]);
    expect(await stack('finished_step', { outputs: {}, session_id: outer })).toEqual([INNER_X]);
    await stack('finished_step', { outputs: {} });
    expect(await stack('finished_step', { outputs: {} })).toEqual([]);
  });

  test('the inner workflow done, the outer one is on top again', async () => {
    verifies('JOBS-REQ-001.4.16', 'JOBS-REQ-001.4.19');
    const server = await connect(newDemo().root);
    const outer = await start(server, 'outer_job');
    await start(server, 'inner_job');
    await server.ok('finished_step', { outputs: {} });
    const end = await server.ok('finished_step', { outputs: {} });
    expect(end).toMatchObject({ status: 'workflow_complete', stack: [OUTER_A] });
    const active = await server.ok('get_active_workflow');
    expect(active).toMatchObject({ session_id: outer, goal: 'Goal of outer_job' });
  });
});

describe('the owner of a stack', () => {
  test('is the session that the client names, over any number of restarts', async () => {
    verifies('JOBS-X.19', 'JOBS-X.22');
    const project = newDemo();
    const env = { CLAUDE_CODE_SESSION_ID: 'conversation-1' };
    const first = await connect(project.root, { env, closeAfterTest: false });
    const outer = await start(first, 'outer_job');
    const inner = await start(first, 'inner_job');
    await first.close();

    const other = await connect(project.root, { env: { CLAUDE_CODE_SESSION_ID: 'another' } });
    expect((await other.ok('get_workflows')).stack).toEqual([]);

    const second = await connect(project.root, { env });
    const kept = keptState(project);
    expect((await second.ok('get_workflows')).stack).toEqual([OUTER_A, INNER_X]);
    expect((await second.ok('get_active_workflow')).session_id).toBe(inner);
    expect(keptState(project)).toEqual(kept);
    expect((await second.ok('finished_step', { outputs: {} })).stack).toEqual([OUTER_A, INNER_Y]);
    expect(readView(project, inner).agent.owner).toContain('conversation-1');
    expect(readView(project, outer).revision).toBe(1);
  });

  test('is the process where the client names none; its sessions are nobody else’s', async () => {
    verifies('JOBS-REQ-001.4.4', 'JOBS-REQ-001.4.5', 'JOBS-X.19');
    const project = newDemo();
    const [mine, theirs] = await Promise.all([connect(project.root), connect(project.root)]);
    const id = await start(theirs, 'outer_job');
    const before = keptState(project);
    expect((await mine.ok('get_workflows')).stack).toEqual([]);
    expect(await mine.ok('get_active_workflow')).toMatchObject({ active: false, orphans: [] });
    expectRefusal(
      await mine.call('finished_step', { outputs: {} }),
      'No active workflow session. Use start_workflow to begin a workflow.',
    );
    for (const [tool, args] of [
      ['finished_step', { outputs: {} }],
      ['abort_workflow', { explanation: 'Not mine' }],
      ['go_to_step', { step_id: 'a' }],
      ['get_active_workflow', {}],
      ['validate_step_outputs', { outputs: {} }],
    ] as const) {
      expectRefusal(
        await mine.call(tool, { ...args, session_id: id }),
        `Session '${id}' not found in active stack`,
      );
    }
    expect(keptState(project)).toEqual(before);
    // Each goes on with its own.
    await start(mine, 'inner_job');
    expect((await theirs.ok('finished_step', { outputs: {} })).stack).toEqual([OUTER_B]);
    expect((await mine.ok('finished_step', { outputs: {} })).stack).toEqual([INNER_Y]);
  });
});
