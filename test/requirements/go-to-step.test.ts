// go_to_step: back to the current or an earlier entry, to do the work from there again.

import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { expectRefusal, expectWhole } from '../support/answers.ts';
import { ERAS } from '../support/calls.ts';
import { type Connection, connect } from '../support/connect.ts';
import { keptState } from '../support/kept-state.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { historyOf, readView } from '../support/saved.ts';
import { verifies } from '../verifies.ts';

/** a → [b, c] → (d, only when asked for) → e → f */
function newDemo(): Project {
  const project = newProject({ 'a.md': 'A', 'b.md': 'B' });
  writeJob(
    project,
    'demo',
    {
      a: { outputs: { plan: 'file' } },
      b: { outputs: { from_b: 'file' } },
      c: { outputs: { from_c: 'file' } },
      d: { when: { var: 'thorough' } },
      e: {},
      f: {},
    },
    { main: ['a', ['b', 'c'], 'd', 'e', 'f'] },
  );
  return project;
}

const B = { from_b: 'b.md' };
const C = { from_c: 'b.md' };

/** Started and finished up to where `calls` lead. */
async function walked(server: Connection, ...calls: object[]): Promise<string> {
  const start = { goal: 'g', job_name: 'demo', workflow_name: 'main' };
  const id = (await server.ok('start_workflow', start)).begin_step.session_id;
  for (const outputs of calls) await server.ok('finished_step', { outputs });
  return id;
}

const A = { plan: 'a.md' };

describe('go_to_step', () => {
  test.each(ERAS)('returns to an earlier step and clears what came after (%s)', async (era) => {
    verifies('JOBS-X.21');
    const project = newDemo();
    const server = await connect(project.root, { era });
    const id = await walked(server, A, { ...B, ...C });
    const answer = expectWhole('go_to_step', await server.call('go_to_step', { step_id: 'a' }));
    expect(answer.invalidated_steps).toEqual(['a', 'b', 'c', 'e']);
    expect(answer.begin_step).toMatchObject({
      session_id: id,
      step_id: 'a',
      step_instructions: 'Do a now.\n',
      concurrent_steps: [],
    });
    expect(answer.stack).toMatchObject([{ workflow: 'demo/main', step: 'a' }]);

    const view = readView(project, id);
    expect(view).toMatchObject({ current_step_id: 'a', current_entry_index: 0, status: 'active' });
    expect(Object.keys(view.step_progress)).toEqual(['a']);
    expect(view.step_progress.a).toMatchObject({ completed_at: null, outputs: {} });
    expect(historyOf(project, id)).toContain('went_back');
    expect(existsSync(project.path('b.md'))).toBe(true);

    // The work is done again from there, and only the new outputs count.
    await server.ok('finished_step', { outputs: { plan: 'b.md' } });
    await server.ok('finished_step', { outputs: { from_b: 'a.md', from_c: 'a.md' } });
    await server.ok('finished_step', { outputs: {} });
    const end = await server.ok('finished_step', { outputs: {} });
    expect(end.all_outputs).toEqual({ plan: 'b.md', from_b: 'a.md', from_c: 'a.md' });
  });

  test('the current step may be restarted', async () => {
    verifies('JOBS-X.21');
    const project = newDemo();
    const server = await connect(project.root);
    const id = await walked(server, A, { ...B, ...C });
    const answer = await server.ok('go_to_step', { step_id: 'e' });
    expect(answer.invalidated_steps).toEqual(['e']);
    expect(answer.begin_step.step_id).toBe('e');
    expect(Object.keys(readView(project, id).step_progress)).toEqual(['a', 'b', 'c', 'e']);
  });

  test('a member means its whole entry', async () => {
    verifies('JOBS-X.21', 'JOBS-X.13');
    const project = newDemo();
    const server = await connect(project.root);
    const id = await walked(server, A, B);
    const here = await server.ok('go_to_step', { step_id: 'c' });
    expect(here.invalidated_steps).toEqual(['b', 'c']);
    expect(here.begin_step).toMatchObject({
      step_id: 'b',
      concurrent_steps: [{ step_id: 'c' }],
    });
    expect(readView(project, id).step_progress.b.completed_at).toBeNull();
    expect((await server.ok('finished_step', { outputs: C })).status).toBe('needs_work');
    expect((await server.ok('finished_step', { outputs: B })).begin_step.step_id).toBe('e');

    const back = await server.ok('go_to_step', { step_id: 'b' });
    expect(back.invalidated_steps).toEqual(['b', 'c', 'e']);
  });

  test('a skipped step can still be done', async () => {
    verifies('JOBS-X.21', 'JOBS-X.14');
    const project = newDemo();
    const server = await connect(project.root);
    const id = await walked(server, A, { ...B, ...C });
    const answer = await server.ok('go_to_step', { step_id: 'd' });
    expect(answer.invalidated_steps).toEqual(['d', 'e']);
    expect(answer.begin_step.step_id).toBe('d');
    expect((await server.ok('finished_step', { outputs: {} })).begin_step.step_id).toBe('e');
    expect(readView(project, id).step_progress.d.completed_at).not.toBeNull();
  });

  test('going forward, to an unknown step or without a session is refused', async () => {
    verifies('JOBS-X.21');
    const project = newDemo();
    const server = await connect(project.root);
    const call = (step_id: string) => server.call('go_to_step', { step_id });
    expectRefusal(
      await call('a'),
      'No active workflow session. Use start_workflow to begin a workflow.',
    );
    await walked(server, A);
    const before = keptState(project);
    for (const step of ['d', 'e', 'f']) {
      expectRefusal(
        await call(step),
        `Cannot go forward to step '${step}' (current step: 'b'). Use finished_step to advance forward.`,
      );
    }
    for (const step of ['nowhere', '', 'constructor', '../a', 'A']) {
      expectRefusal(
        await call(step),
        `Step '${step}' not found in workflow 'main'. Available steps: a, b, c, d, e, f`,
      );
    }
    expect(keptState(project)).toEqual(before);
  });

  test('goes back in the named session, not in the top', async () => {
    verifies('JOBS-X.21');
    const project = newDemo();
    const server = await connect(project.root);
    const lower = await walked(server, A);
    const upper = await walked(server, A);
    const before = keptState(project)[`tmp/session_${upper}.json`];
    const answer = await server.ok('go_to_step', { step_id: 'a', session_id: lower });
    expect(answer.stack).toMatchObject([
      { workflow: 'demo/main', step: 'a' },
      { workflow: 'demo/main', step: 'b' },
    ]);
    expect(keptState(project)[`tmp/session_${upper}.json`]).toBe(before);
  });

  test('leaves a step that an edit removed, and clears it, too', async () => {
    verifies('JOBS-X.21', 'JOBS-X.12');
    const project = newDemo();
    const server = await connect(project.root);
    const id = await walked(server, A, { ...B, ...C });
    writeJob(project, 'demo', { a: { outputs: { plan: 'file' } }, f: {} }, { main: ['a', 'f'] });
    const answer = await server.ok('go_to_step', { step_id: 'a' });
    expect(answer.begin_step.step_id).toBe('a');
    expect([...answer.invalidated_steps].sort()).toEqual(['a', 'b', 'c', 'e']);
    expect(Object.keys(readView(project, id).step_progress)).toEqual(['a']);
  });
});
