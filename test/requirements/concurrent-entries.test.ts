// Entries of several steps: how they are presented to the agent, and that their members may be
// submitted together or separately, in any order.

import { describe, expect, test } from 'vitest';
import { connect } from '../support/connect.ts';
import { keptState } from '../support/kept-state.ts';
import { newProject, REVIEW, type StepSpec, writeJob } from '../support/project.ts';
import { readRefusal, refusedUnchanged } from '../support/refusal.ts';
import { readView } from '../support/saved.ts';
import { verifies } from '../verifies.ts';

/** x and y require one output each and share the name `log`; z requires none. */
const STEPS: Readonly<Record<string, StepSpec>> = {
  x: { outputs: { from_x: 'file', log: 'file?' } },
  y: { outputs: { from_y: 'files', log: 'file?' } },
  z: { outputs: { extra: 'file?' } },
  after: {},
};
const X = { from_x: 'a.md', 'x.log': 'b.md' };
const Y = { from_y: ['a.md', 'b.md'], 'y.log': 'c.md' };
const Z = { extra: 'c.md' };

async function running(
  main: readonly (string | string[])[] = [['x', 'y', 'z'], 'after'],
  steps = STEPS,
) {
  const project = newProject({ 'a.md': 'A', 'b.md': 'B', 'c.md': 'C', 'bad.md': 'bad' });
  writeJob(project, 'demo', steps, { main });
  const server = await connect(project.root);
  const start = { goal: 'g', job_name: 'demo', workflow_name: 'main' };
  const first = (await server.ok('start_workflow', start)).begin_step;
  const finish = (outputs: object, more: object = {}) =>
    server.ok('finished_step', { outputs, ...more });
  const id: string = first.session_id;
  const progress = () => readView(project, id).step_progress;
  return { project, server, finish, first, id, progress };
}

const noteOf = ({ step_instructions }: { step_instructions: string }) =>
  step_instructions.split('\n\n').at(-1) ?? '';

describe('how they begin', () => {
  test('the note is in a first, a middle and a last entry, and only there', async () => {
    verifies('JOBS-REQ-001.4.18');
    const entries = [['p', 'q'], 'r', ['s', 't', 'u'], ['v'], ['w', 'x']];
    const steps = Object.fromEntries(entries.flat().map((id) => [id, {}]));
    const { first, finish } = await running(entries, steps);
    let begun = first;
    for (const entry of entries) {
      const [leader, ...others] = [entry].flat();
      expect(begun.step_id).toBe(leader);
      const shown = begun.concurrent_steps.map((each: { step_id: string }) => each.step_id);
      expect(shown).toEqual(others);
      expect(begun.step_instructions.startsWith(`Do ${leader} now.\n`)).toBe(true);
      if (others.length === 0) {
        expect(begun.step_instructions).toBe(`Do ${leader} now.\n`);
      } else {
        expect(noteOf(begun).startsWith('**CONCURRENT STEPS**')).toBe(true);
        for (const part of [String(entry.length), [entry].flat().join(', '), 'Task tool']) {
          expect(noteOf(begun)).toContain(part);
        }
      }
      for (const step_id of others) await finish({}, { step_id });
      const last = await finish({}, { step_id: leader });
      begun = last.begin_step ?? last.status;
    }
    expect(begun).toBe('workflow_complete');
  });

  test('every member is briefed, with shared names qualified and how to submit one without outputs', async () => {
    verifies('JOBS-X.13', 'JOBS-REQ-001.4.18');
    const { first, finish, server } = await running();
    const names = (step: { step_expected_outputs: { name: string }[] }) =>
      step.step_expected_outputs.map(({ name }) => name);
    const [y, z] = first.concurrent_steps;
    expect([first, y, z].map(names)).toEqual([['from_x', 'x.log'], ['from_y', 'y.log'], ['extra']]);
    expect(y.step_instructions).toBe('Do y now.\n');
    const keys = Object.keys(first).filter((key) => key.startsWith('step_'));
    expect(Object.keys(y).sort()).toEqual(keys.sort());
    expect(noteOf(first)).toMatch(/\bz\b.*step_id.*outputs \{\}/);
    const named = expect.stringMatching(/step_id "z".*outputs \{\}/);
    expect(z.step_submission).toEqual(named);

    // The same if it is the only one left.
    await finish({ from_x: 'a.md', from_y: ['b.md'] });
    const left = (await server.ok('get_active_workflow')).begin_step;
    expect(left).toMatchObject({ step_id: 'z', concurrent_steps: [], step_submission: named });
    // A single step needs no name.
    const { begin_step } = await finish({}, { step_id: 'z' });
    expect(begin_step).not.toHaveProperty('step_submission');
  });
});

describe('how they are finished', () => {
  test.each<Record<string, unknown>[][]>([
    [[{ ...X, ...Y, ...Z }]],
    [[X, { ...Y, ...Z }]],
    [[{ ...Y, ...Z }, X]],
    [[Z, Y, X]],
  ])('any split of calls leads to the same end: %j', async (split) => {
    verifies('JOBS-X.13');
    const { finish, progress } = await running();
    for (const [index, outputs] of split.entries()) {
      const { status } = await finish(outputs);
      expect(status).toBe(index === split.length - 1 ? 'next_step' : 'needs_work');
    }
    expect(progress()).toMatchObject({
      x: { outputs: { from_x: 'a.md', log: 'b.md' } },
      y: { outputs: { from_y: ['a.md', 'b.md'], log: 'c.md' } },
      z: { outputs: { extra: 'c.md' } },
    });
    expect((await finish({})).all_outputs).toEqual({ ...X, ...Y, ...Z });
  });

  test('open members are named, and none counts as done that was not submitted', async () => {
    verifies('JOBS-X.13', 'JOBS-X.10', 'JOBS-REQ-001.4.15');
    const { project, server, id, finish, progress } = await running();
    const first = await finish({ from_x: 'a.md' }, { notes: 'x is done' });
    const open = { status: 'needs_work', reason: 'members_open', begin_step: null };
    expect(first).toMatchObject({ ...open, failed_reviews: null, failed_criteria: null });
    expect(first.feedback).toMatch(/\by\b.*from_y/);
    expect(first.feedback).toMatch(/\bz\b.*step_id "z".*outputs \{\}/);
    expect(first.feedback).not.toContain('from_x');
    expect(readView(project, id).last_accepted).toEqual({
      step_ids: ['x'],
      outputs: { from_x: 'a.md' },
      notes: 'x is done',
    });
    const before = keptState(project);
    const again = await finish({ from_x: 'a.md' }, { notes: 'x is done' });
    expect(again, 'a repeated call').toEqual(first);
    // A call about a later step is told what is open.
    const later = { outputs: {}, step_id: 'after' };
    const { code, next } = await refusedUnchanged(project, server, 'finished_step', later);
    expect(code).toBe('step_not_current');
    expect(next).toContain("'y'");
    expect(keptState(project)).toEqual(before);

    await finish({ from_y: ['b.md'] });
    expect(progress().y.completed_at).not.toBeNull();
    expect(progress().z.completed_at).toBeNull();
    // A call that names no member submits none.
    const standing = keptState(project);
    expect(await finish({})).toMatchObject(open);
    expect((await server.ok('validate_step_outputs', { outputs: {} })).valid).toBe(false);
    expect(keptState(project)).toEqual(standing);
    const named = { outputs: {}, step_id: 'z' };
    expect((await server.ok('validate_step_outputs', named)).valid).toBe(true);
    expect((await server.ok('finished_step', named)).begin_step.step_id).toBe('after');
  });

  test('members submitted at the same moment lose nothing', async () => {
    verifies('JOBS-X.13');
    const { finish, progress } = await running();
    const answers = await Promise.all([finish(X), finish(Y), finish({}, { step_id: 'z' })]);
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual(['needs_work', 'needs_work', 'next_step']);
    const { x, y, z } = progress();
    expect([x.outputs.log, y.outputs.log, typeof z.completed_at]).toEqual([
      'b.md',
      'c.md',
      'string',
    ]);
  });

  test('step_id says whose outputs they are, and problems use qualified names', async () => {
    verifies('JOBS-X.13', 'JOBS-REQ-001.5.4', 'JOBS-REQ-001.5.5');
    const { project, server, finish, progress } = await running();
    const all = 'extra, from_x, from_y, x.log, y.log';
    for (const [step_id, outputs, code, named] of [
      [null, { log: 'a.md' }, 'output_ambiguous', ['x.log, y.log']],
      [null, { 'z.log': 'a.md' }, 'outputs_unknown', ['z.log', all]],
      [null, { ...X, 'x.log': 'gone.md' }, 'outputs_invalid', ["'x.log'", "'gone.md'"]],
      [null, { ...Y, 'y.log': ['a.md'] }, 'outputs_invalid', ["'y.log'", 'list']],
    ] as const) {
      const call = { outputs, step_id };
      const seen = await refusedUnchanged(project, server, 'finished_step', call);
      expect({ call, code: seen.code }).toEqual({ call, code });
      for (const part of named) expect(seen.message).toContain(part);
    }
    expect((await finish({}, { step_id: 'z' })).status).toBe('needs_work');
    expect(progress().z.completed_at).not.toBeNull();
  });

  test('one member that fails does not block the others, and each is judged by itself', async () => {
    verifies('JOBS-X.13', 'JOBS-X.9');
    const rules = [{ type: 'contains', value: 'A', message: 'Must say A' }];
    const from_y = { type: 'file', description: 'd', required: true, rules };
    const steps = { ...STEPS, y: { outputs: { from_y } }, z: { reviews: [REVIEW] } };
    const { id, server, finish, progress } = await running(undefined, steps);
    const answer = await finish({ from_x: 'a.md', from_y: 'bad.md' });
    expect(answer).toMatchObject({
      status: 'needs_work',
      failed_criteria: [{ criterion: 'Must say A', passed: false }],
    });
    // z was not submitted, so it is not judged.
    expect(answer.feedback).not.toContain('quality_review');
    const { x, y, z } = progress();
    expect([x, y, z].map(({ completed_at }) => completed_at !== null)).toEqual([
      true,
      false,
      false,
    ]);
    expect((await finish({ from_y: 'a.md' })).status).toBe('needs_work');
    const asked = await finish({}, { step_id: 'z' });
    expect(asked.feedback).toContain(`quality_review_${id}_z.md`);
    const blank = await server.call('finished_step', { outputs: {}, step_id: 'after' });
    expect(readRefusal(blank).code).toBe('step_not_current');
    const reason = { quality_review_override_reason: 'A subagent said PASSED' };
    expect((await finish({}, { step_id: 'z', ...reason })).begin_step.step_id).toBe('after');
  });
});
