// Workflows nest on their owner's stack, every answer shows that stack, and no one else can use it.

import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Connection, connect } from '../support/connect.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { refusedUnchanged } from '../support/refusal.ts';
import { readView } from '../support/saved.ts';
import { verifies } from '../verifies.ts';

function newDemo(): Project {
  const project = newProject();
  writeJob(project, 'outer_job', { a: {}, b: {} }, { main: ['a', 'b'] });
  writeJob(project, 'inner_job', { x: {}, y: {} }, { main: ['x', 'y'] });
  return project;
}

const start = (job_name: string) => ({ goal: `Of ${job_name}`, job_name, workflow_name: 'main' });

async function begin(server: Connection, job_name: string): Promise<string> {
  return (await server.ok('start_workflow', start(job_name))).begin_step.session_id;
}

/** The steps of the stack that a call answers with, bottom to top. */
async function stepsAfter(server: Connection, tool: string, args = {}): Promise<string[]> {
  return (await server.ok(tool, args)).stack.map(({ step }: { step: string }) => step);
}

const FINISH = { outputs: {} };

/** Every tool that acts on a session. */
const TOOLS: readonly (readonly [string, object])[] = [
  ['finished_step', FINISH],
  ['abort_workflow', { explanation: 'Enough' }],
  ['go_to_step', { step_id: 'a' }],
  ['get_active_workflow', {}],
  ['validate_step_outputs', FINISH],
];

describe('the stack', () => {
  test('nests, and is in every answer', async () => {
    verifies('JOBS-REQ-001.4.19', 'JOBS-REQ-001.4.5');
    const project = newDemo();
    const server = await connect(project.root);
    expect(await stepsAfter(server, 'get_workflows')).toEqual([]);
    expect(await stepsAfter(server, 'get_active_workflow')).toEqual([]);
    const outer = await begin(server, 'outer_job');
    const inner = await begin(server, 'inner_job');
    const third = await begin(server, 'inner_job');
    const parents = [outer, inner, third].map((id) => readView(project, id).parent_session_id);
    expect(parents).toEqual([null, outer, inner]);
    await server.ok('abort_workflow', { explanation: 'Enough' });
    expect((await server.ok('get_workflows')).stack).toEqual([
      { workflow: 'outer_job/main', step: 'a', session_id: outer },
      { workflow: 'inner_job/main', step: 'x', session_id: inner },
    ]);
    for (const [tool, args, steps] of [
      ['validate_step_outputs', FINISH, 'ax'],
      ['finished_step', FINISH, 'ay'],
      ['go_to_step', { step_id: 'x' }, 'ax'],
      ['get_active_workflow', {}, 'ax'],
      ['start_workflow', start('inner_job'), 'axx'],
      ['abort_workflow', { explanation: 'x' }, 'ax'],
      // Completion removes a session wherever it is on the stack.
      ['finished_step', { ...FINISH, session_id: outer }, 'bx'],
      ['finished_step', { ...FINISH, session_id: outer }, 'x'],
      ['finished_step', FINISH, 'y'],
      ['finished_step', FINISH, ''],
    ] as const) {
      expect((await stepsAfter(server, tool, args)).join(''), tool).toBe(steps);
    }
  });

  test('a nested start says what it is nested in, and its end gives the outer step again', async () => {
    verifies('JOBS-REQ-001.4.16', 'JOBS-REQ-001.4.19');
    const server = await connect(newDemo().root);
    const first = await server.ok('start_workflow', start('outer_job'));
    expect(first.warnings).toEqual([]);
    const outer = first.begin_step.session_id;
    await server.ok('finished_step', FINISH);
    const second = await server.ok('start_workflow', start('inner_job'));
    expect(second.warnings).toEqual([expect.stringContaining(`session ${outer} `)]);
    await server.ok('finished_step', FINISH);
    const end = await server.ok('finished_step', FINISH);
    expect(end).toMatchObject({ status: 'workflow_complete', stack: [{ step: 'b' }] });
    const active = await server.ok('get_active_workflow');
    expect(active).toMatchObject({ session_id: outer, goal: 'Of outer_job' });
    expect(end.begin_step).toEqual(active.begin_step);
    const last = { status: 'workflow_complete', begin_step: null, warnings: [] };
    expect(await server.ok('finished_step', FINISH)).toMatchObject(last);
    expect((await server.ok('start_workflow', start('outer_job'))).warnings).toEqual([]);
  });

  test('an outer step that cannot be shown does not undo the end of the inner workflow', async () => {
    verifies('JOBS-REQ-001.4.16', 'JOBS-X.12');
    const project = newDemo();
    const server = await connect(project.root);
    await begin(server, 'outer_job');
    const inner = await begin(server, 'inner_job');
    await server.ok('finished_step', FINISH);
    rmSync(project.path('.deepwork/jobs/outer_job/steps/a.md'));
    const end = await server.ok('finished_step', FINISH);
    expect(end).toMatchObject({ status: 'workflow_complete', begin_step: null });
    expect(end.warnings).toContainEqual(expect.stringContaining('outer_job/main'));
    expect(readView(project, inner).status).toBe('completed');
  });

  test('names a member that is still open', async () => {
    verifies('JOBS-REQ-001.4.19', 'JOBS-X.13');
    const project = newProject();
    writeJob(project, 'pair', { left: {}, right: {} }, { main: [['left', 'right']] });
    const server = await connect(project.root);
    await begin(server, 'pair');
    const finish = { ...FINISH, step_id: 'left' };
    expect(await stepsAfter(server, 'finished_step', finish)).toEqual(['right']);
  });
});

describe('a session', () => {
  test('that is over or of another owner is not found by any tool, nor used without an id', async () => {
    verifies('JOBS-REQ-001.4.4', 'JOBS-REQ-001.4.5', 'JOBS-REQ-001.6.4', 'JOBS-X.19');
    const project = newDemo();
    const [mine, theirs] = await Promise.all([connect(project.root), connect(project.root)]);
    const session_id = await begin(theirs, 'outer_job');
    expect(await mine.ok('get_active_workflow')).toMatchObject({ active: false, orphans: [] });
    const expectNotFound = async (server: Connection) => {
      for (const [tool, args] of TOOLS) {
        const codeOf = async (more: object) =>
          (await refusedUnchanged(project, server, tool, { ...args, ...more })).code;
        if (tool !== 'get_active_workflow') expect(await codeOf({}), tool).toBe('no_session');
        expect(await codeOf({ session_id }), tool).toBe('session_not_found');
      }
    };
    await expectNotFound(mine);
    // Each continues its own.
    await begin(mine, 'inner_job');
    expect(await stepsAfter(theirs, 'finished_step', FINISH)).toEqual(['b']);
    expect(await stepsAfter(mine, 'finished_step', FINISH)).toEqual(['y']);
    await theirs.ok('abort_workflow', { explanation: 'Once' });
    await expectNotFound(theirs);
  });
});
