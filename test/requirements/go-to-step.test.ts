// go_to_step: back to the current or an earlier entry, to do the work from there again.

import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { connect } from '../support/connect.ts';
import { newProject, writeJob } from '../support/project.ts';
import { refusedUnchanged } from '../support/refusal.ts';
import { historyOf, readView } from '../support/saved.ts';
import { verifies } from '../verifies.ts';

const START = { goal: 'g', job_name: 'demo', workflow_name: 'main' };
const A = { plan: 'a.md' };
const B = { from_b: 'b.md' };
const C = { from_c: 'b.md' };

/** a → [b, c] → (d, only when asked for) → e → f, finished up to where `calls` lead. */
async function walked(...calls: object[]) {
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
  const server = await connect(project.root);
  const id: string = (await server.ok('start_workflow', START)).begin_step.session_id;
  for (const outputs of calls) await server.ok('finished_step', { outputs });
  return { project, server, id, progress: () => readView(project, id).step_progress };
}

test('an earlier step clears what came after it, and keeps files', async () => {
  verifies('JOBS-X.21');
  const { project, server, id, progress } = await walked(A, { ...B, ...C });
  const answer = await server.ok('go_to_step', { step_id: 'a' });
  expect(answer).toMatchObject({
    invalidated_steps: ['a', 'b', 'c', 'e'],
    begin_step: { session_id: id, step_id: 'a', step_instructions: 'Do a now.\n' },
    stack: [{ workflow: 'demo/main', step: 'a' }],
  });
  expect(readView(project, id)).toMatchObject({ current_step_id: 'a', current_entry_index: 0 });
  expect(progress()).toEqual({ a: expect.objectContaining({ completed_at: null, outputs: {} }) });
  expect(historyOf(project, id)).toContain('went_back');
  expect(existsSync(project.path('b.md'))).toBe(true);

  // The work is done again from there, and only the new outputs count.
  for (const outputs of [{ plan: 'b.md' }, { from_b: 'a.md', from_c: 'a.md' }, {}]) {
    await server.ok('finished_step', { outputs });
  }
  const { all_outputs } = await server.ok('finished_step', { outputs: {} });
  expect(all_outputs).toEqual({ plan: 'b.md', from_b: 'a.md', from_c: 'a.md' });
});

test('the current step begins again, and a skipped one can still be done', async () => {
  verifies('JOBS-X.21', 'JOBS-X.14');
  const { server, progress } = await walked(A, { ...B, ...C });
  const here = await server.ok('go_to_step', { step_id: 'e' });
  expect(here).toMatchObject({ invalidated_steps: ['e'], begin_step: { step_id: 'e' } });
  expect(Object.keys(progress())).toEqual(['a', 'b', 'c', 'e']);
  const skipped = await server.ok('go_to_step', { step_id: 'd' });
  expect(skipped).toMatchObject({ invalidated_steps: ['d', 'e'], begin_step: { step_id: 'd' } });
  expect((await server.ok('finished_step', { outputs: {} })).begin_step.step_id).toBe('e');
  expect(progress().d.completed_at).not.toBeNull();
});

test('a member means its whole entry', async () => {
  verifies('JOBS-X.21', 'JOBS-X.13');
  const { server, progress } = await walked(A, B);
  const here = await server.ok('go_to_step', { step_id: 'c' });
  expect(here.invalidated_steps).toEqual(['b', 'c']);
  expect(here.begin_step).toMatchObject({ step_id: 'b', concurrent_steps: [{ step_id: 'c' }] });
  expect(progress().b.completed_at).toBeNull();
  expect((await server.ok('finished_step', { outputs: C })).status).toBe('needs_work');
  expect((await server.ok('finished_step', { outputs: B })).begin_step.step_id).toBe('e');
  const back = await server.ok('go_to_step', { step_id: 'b' });
  expect(back.invalidated_steps).toEqual(['b', 'c', 'e']);
});

test('going forward, and a step that does not exist, is refused', async () => {
  verifies('JOBS-X.21');
  const { project, server } = await walked(A);
  const refused = (step_id: string) => refusedUnchanged(project, server, 'go_to_step', { step_id });
  for (const step of ['d', 'e', 'f']) expect((await refused(step)).code).toBe('step_ahead');
  for (const step of ['nowhere', '', 'constructor', '../a', 'A']) {
    const { code, message } = await refused(step);
    expect(code).toBe('step_not_found');
    expect(message).toContain('a, b, c, d, e, f');
  }
  await server.ok('abort_workflow', { explanation: 'x' });
  expect((await refused('a')).code).toBe('no_session');
});

test('goes back in the named session, not in the top', async () => {
  verifies('JOBS-X.21');
  const { project, server, id } = await walked(A);
  const upper = (await server.ok('start_workflow', START)).begin_step.session_id;
  await server.ok('finished_step', { outputs: A });
  const before = readView(project, upper);
  const answer = await server.ok('go_to_step', { step_id: 'a', session_id: id });
  expect(answer.stack).toMatchObject([{ step: 'a' }, { step: 'b' }]);
  expect(readView(project, upper)).toEqual(before);
});
