// Who owns a session: workflows nest on their owner's stack, every answer shows that stack, and a
// client that names its own session keeps it over restarts.

import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/answers.ts';
import { ERAS } from '../support/calls.ts';
import { type Connection, connect, connectToProcess } from '../support/connect.ts';
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

// An item of a stack, without the session's id.
const OUTER_A = { workflow: 'outer_job/main', step: 'a' };
const OUTER_B = { workflow: 'outer_job/main', step: 'b' };
const INNER_X = { workflow: 'inner_job/main', step: 'x' };
const INNER_Y = { workflow: 'inner_job/main', step: 'y' };

async function start(server: Connection, job_name: string): Promise<string> {
  const args = { goal: `Goal of ${job_name}`, job_name, workflow_name: 'main' };
  return (await server.ok('start_workflow', args)).begin_step.session_id;
}

describe('the stack', () => {
  test('a nested start reports where it is nested; the first one reports nothing', async () => {
    verifies('JOBS-REQ-001.4.19');
    const server = await connect(newDemo().root);
    const start = { goal: 'g', job_name: 'outer_job', workflow_name: 'main' };
    const first = await server.ok('start_workflow', start);
    expect(first.warnings).toEqual([]);
    await server.ok('finished_step', { outputs: {} });
    const outer = first.begin_step.session_id;
    const second = await server.ok('start_workflow', start);
    expect(second.warnings).toEqual([
      `Nested in session ${outer} (outer_job/main, step 'b'), which waits until this one ends.`,
    ]);
    const third = await server.ok('start_workflow', { ...start, job_name: 'inner_job' });
    expect(third.warnings).toEqual([
      `Nested in session ${second.begin_step.session_id} (outer_job/main, step 'a'), which waits until this one ends.`,
    ]);
    for (let ended = 0; ended < 3; ended++) {
      await server.ok('abort_workflow', { explanation: 'Only tried' });
    }
    expect((await server.ok('start_workflow', start)).warnings).toEqual([]);
  });

  test('a session that is asked for by its id names the one that comes first', async () => {
    verifies('JOBS-REQ-001.4.19');
    const server = await connect(newDemo().root);
    const outer = await start(server, 'outer_job');
    const alone = await server.ok('get_active_workflow', { session_id: outer });
    expect(alone.warnings).toEqual([]);
    const inner = await start(server, 'inner_job');
    const { warnings } = await server.ok('get_active_workflow', { session_id: outer });
    expect(warnings).toEqual([
      `Session ${inner} (inner_job/main, step 'x') is nested in this one and comes first: a call without session_id acts on that one.`,
    ]);
    const onTop = await server.ok('get_active_workflow', { session_id: inner });
    expect(onTop.warnings).toEqual([]);
  });

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

    expect(await stack('get_workflows')).toEqual([
      { ...OUTER_A, session_id: outer },
      { ...INNER_X, session_id: inner },
    ]);
    expect(await stack('validate_step_outputs', { outputs: {} })).toMatchObject([OUTER_A, INNER_X]);
    expect(await stack('finished_step', { outputs: {} })).toMatchObject([OUTER_A, INNER_Y]);
    expect(await stack('go_to_step', { step_id: 'x' })).toMatchObject([OUTER_A, INNER_X]);
    expect(await stack('get_active_workflow')).toMatchObject([OUTER_A, INNER_X]);
    const third = await server.ok('start_workflow', {
      goal: 'g',
      job_name: 'inner_job',
      workflow_name: 'main',
    });
    expect(third.stack).toMatchObject([OUTER_A, INNER_X, INNER_X]);
    expect(await stack('abort_workflow', { explanation: 'x' })).toMatchObject([OUTER_A, INNER_X]);
    // Completion removes a session wherever it is on the stack.
    expect(await stack('finished_step', { outputs: {}, session_id: outer })).toMatchObject([
      OUTER_B,
      INNER_X,
    ]);
    expect(await stack('finished_step', { outputs: {}, session_id: outer })).toMatchObject([
      INNER_X,
    ]);
    await stack('finished_step', { outputs: {} });
    expect(await stack('finished_step', { outputs: {} })).toEqual([]);
  });

  test('after the inner workflow is complete, the outer one is on top again', async () => {
    verifies('JOBS-REQ-001.4.16', 'JOBS-REQ-001.4.19');
    const server = await connect(newDemo().root);
    const outer = await start(server, 'outer_job');
    await start(server, 'inner_job');
    await server.ok('finished_step', { outputs: {} });
    const end = await server.ok('finished_step', { outputs: {} });
    expect(end).toMatchObject({ status: 'workflow_complete', stack: [OUTER_A] });
    const active = await server.ok('get_active_workflow');
    expect(active).toMatchObject({ session_id: outer, goal: 'Goal of outer_job' });
    // The answer already contains what to continue with.
    expect(end.begin_step).toEqual(active.begin_step);
    expect(end.begin_step).toMatchObject({ session_id: outer, step_id: 'a' });
    const last = await server.ok('finished_step', { outputs: {} });
    expect(last.begin_step.step_id).toBe('b');
    expect(await server.ok('finished_step', { outputs: {} })).toMatchObject({
      status: 'workflow_complete',
      begin_step: null,
      warnings: [],
    });
  });

  test('after the inner workflow is aborted, the step of the outer one is given again', async () => {
    verifies('JOBS-REQ-001.6.8');
    const server = await connect(newDemo().root);
    const outer = await start(server, 'outer_job');
    await server.ok('finished_step', { outputs: {} });
    await start(server, 'inner_job');
    const aborted = await server.ok('abort_workflow', { explanation: 'No use' });
    const { begin_step } = await server.ok('get_active_workflow');
    expect(aborted).toMatchObject({ resumed_workflow: 'outer_job/main', resumed_step: 'b' });
    expect(aborted.begin_step).toEqual(begin_step);
    expect(begin_step).toMatchObject({ session_id: outer, step_id: 'b' });
    const last = await server.ok('abort_workflow', { explanation: 'Nor this' });
    expect(last).toMatchObject({ resumed_workflow: null, begin_step: null });
  });

  test('an outer step that cannot be shown does not undo the end of the inner workflow', async () => {
    verifies('JOBS-REQ-001.4.16', 'JOBS-X.12');
    const project = newDemo();
    const server = await connect(project.root);
    await start(server, 'outer_job');
    const inner = await start(server, 'inner_job');
    await server.ok('finished_step', { outputs: {} });
    rmSync(project.path('.deepwork/jobs/outer_job/steps/a.md'));
    const end = await server.ok('finished_step', { outputs: {} });
    expect(end).toMatchObject({ status: 'workflow_complete', begin_step: null });
    expect(end.warnings.join()).toMatch(/outer_job\/main resumes.*Failed to parse|steps\/a\.md/);
    expect(readView(project, inner).status).toBe('completed');
  });

  test('names a member that is still open', async () => {
    verifies('JOBS-REQ-001.4.19', 'JOBS-X.13');
    const project = newProject();
    writeJob(project, 'pair', { left: {}, right: {} }, { main: [['left', 'right']] });
    const server = await connect(project.root);
    const session_id = await start(server, 'pair');
    const first = await server.ok('finished_step', { outputs: {}, step_id: 'left' });
    expect(first.stack).toEqual([{ workflow: 'pair/main', step: 'right', session_id }]);
  });
});

describe('the owner of a stack', () => {
  test("is the client's own session, over any number of restarts", async () => {
    verifies('JOBS-X.19', 'JOBS-X.22');
    const project = newDemo();
    const env = { CLAUDE_CODE_SESSION_ID: 'conversation-1' };
    const first = await connectToProcess(project.root, { env, closeAfterTest: false });
    const outer = await start(first, 'outer_job');
    const inner = await start(first, 'inner_job');
    await first.close();

    const second = await connect(project.root, { env });
    const kept = keptState(project);
    expect((await second.ok('get_workflows')).stack).toMatchObject([OUTER_A, INNER_X]);
    expect((await second.ok('get_active_workflow')).session_id).toBe(inner);
    expect(keptState(project)).toEqual(kept);
    expect((await second.ok('finished_step', { outputs: {} })).stack).toMatchObject([
      OUTER_A,
      INNER_Y,
    ]);
    expect(readView(project, inner).agent.owner).toContain('conversation-1');
    expect(readView(project, outer).revision).toBe(1);
  });

  test('is the process if the client names no session, and no one else can use it', async () => {
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
    // Each continues its own.
    await start(mine, 'inner_job');
    expect((await theirs.ok('finished_step', { outputs: {} })).stack).toMatchObject([OUTER_B]);
    expect((await mine.ok('finished_step', { outputs: {} })).stack).toMatchObject([INNER_Y]);
  });
});
