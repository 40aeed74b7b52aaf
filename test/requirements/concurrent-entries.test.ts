// Entries of several steps: how they are presented to the agent, and that their members may be
// submitted together or separately, in any order.

import { describe, expect, test } from 'vitest';
import { expectRefusal, expectWhole } from '../support/answers.ts';
import { type Connection, connect } from '../support/connect.ts';
import { keptState } from '../support/kept-state.ts';
import { newProject, type Project, REVIEW, type StepSpec, writeJob } from '../support/project.ts';
import { readView } from '../support/saved.ts';
import { verifies } from '../verifies.ts';

/** x and y require one output each and share the name `log`; z requires none. */
const STEPS: Readonly<Record<string, StepSpec>> = {
  x: { outputs: { from_x: 'file', log: 'file?' } },
  y: { outputs: { from_y: 'files', log: 'file?' } },
  z: { outputs: { extra: 'file?' } },
  after: {},
};

interface Running {
  readonly project: Project;
  readonly server: Connection;
  start(workflow?: string): Promise<string>;
}

async function running(
  workflows: Record<string, (string | string[])[]> = { main: [['x', 'y', 'z'], 'after'] },
  steps = STEPS,
): Promise<Running> {
  const project = newProject({ 'a.md': 'A', 'b.md': 'B', 'c.md': 'C', 'bad.md': 'bad' });
  writeJob(project, 'demo', steps, workflows);
  const server = await connect(project.root);
  return {
    project,
    server,
    async start(workflow_name = 'main') {
      const args = { goal: 'g', job_name: 'demo', workflow_name };
      return (await server.ok('start_workflow', args)).begin_step.session_id;
    },
  };
}

describe('concurrent entries: how they begin', () => {
  test('the note is in a first, a middle and a last entry, and only there', async () => {
    verifies('JOBS-REQ-001.4.18');
    const none = { p: {}, q: {}, r: {}, s: {}, t: {}, u: {}, v: {}, w: {} };
    const { server } = await running(
      { main: [['p', 'q'], 'r', ['s', 't', 'u'], ['v'], ['w', 'x']] },
      { ...none, x: {} },
    );
    const begun = [
      (await server.ok('start_workflow', { goal: 'g', job_name: 'demo', workflow_name: 'main' }))
        .begin_step,
    ];
    const finish = async (...members: string[]) => {
      const calls = [];
      for (const step_id of members)
        calls.push(await server.ok('finished_step', { outputs: {}, step_id }));
      return calls.at(-1);
    };
    for (const entry of [['p', 'q'], ['r'], ['s', 't', 'u'], ['v']]) {
      begun.push((await finish(...entry)).begin_step);
    }
    expect(begun.map(({ step_id }) => step_id)).toEqual(['p', 'r', 's', 'v', 'w']);
    const others = begun.map(({ concurrent_steps }) =>
      concurrent_steps.map(({ step_id }: { step_id: string }) => step_id),
    );
    expect(others).toEqual([['q'], [], ['t', 'u'], [], ['x']]);

    const groups = [['p', 'q'], null, ['s', 't', 'u'], null, ['w', 'x']];
    for (const [index, group] of groups.entries()) {
      const { step_instructions, step_id } = begun[index];
      expect(step_instructions.startsWith(`Do ${step_id} now.`)).toBe(true);
      if (group === null) {
        expect(step_instructions).toBe(`Do ${step_id} now.\n`);
        continue;
      }
      const note = step_instructions.split('\n\n').at(-1);
      expect(note).toMatch(/^\*\*CONCURRENT STEPS\*\*/);
      for (const part of [String(group.length), group.join(', '), 'Task tool']) {
        expect(note).toContain(part);
      }
    }
    expect((await finish('w', 'x')).status).toBe('workflow_complete');
  });

  test('every member is briefed, shared names are qualified', async () => {
    verifies('JOBS-X.13', 'JOBS-REQ-001.4.18');
    const { server } = await running();
    const { begin_step } = await server.ok('start_workflow', {
      goal: 'g',
      job_name: 'demo',
      workflow_name: 'main',
    });
    const names = (step: { step_expected_outputs: { name: string }[] }) =>
      step.step_expected_outputs.map(({ name }) => name);
    expect(names(begin_step)).toEqual(['from_x', 'x.log']);
    const [y, z] = begin_step.concurrent_steps;
    expect(names(y)).toEqual(['from_y', 'y.log']);
    expect(names(z)).toEqual(['extra']);
    expect(y.step_instructions).toBe('Do y now.\n');
    const keys = Object.keys(begin_step).filter((key) => key.startsWith('step_'));
    expect(Object.keys(y).sort()).toEqual(keys.sort());
  });

  test('a member without required outputs comes with how to submit it', async () => {
    verifies('JOBS-X.13', 'JOBS-REQ-001.4.18');
    const { server } = await running();
    const { begin_step } = await server.ok('start_workflow', {
      goal: 'g',
      job_name: 'demo',
      workflow_name: 'main',
    });
    const note = begin_step.step_instructions.split('\n\n').at(-1);
    expect(note).toMatch(/without required outputs.*\bz\b.*step_id.*outputs \{\}/);
    const [y, z] = begin_step.concurrent_steps;
    expect(z.step_submission).toMatch(/step_id "z" and outputs \{\}/);
    expect(z.step_instructions).toBe('Do z now.\n');
    expect(y).not.toHaveProperty('step_submission');

    // The same if it is the only one left.
    await server.ok('finished_step', { outputs: { from_x: 'a.md', from_y: ['b.md'] } });
    const left = (await server.ok('get_active_workflow')).begin_step;
    expect(left).toMatchObject({ step_id: 'z', concurrent_steps: [] });
    expect(left.step_submission).toMatch(/step_id "z" and outputs \{\}/);
    // A single step needs no name.
    const next = await server.ok('finished_step', { outputs: {}, step_id: 'z' });
    expect(next.begin_step).not.toHaveProperty('step_submission');
  });
});

describe('concurrent entries: how they are finished', () => {
  const X = { from_x: 'a.md', 'x.log': 'b.md' };
  const Y = { from_y: ['a.md', 'b.md'], 'y.log': 'c.md' };
  const Z = { extra: 'c.md' };

  test('any split of calls leads to the same end', async () => {
    verifies('JOBS-X.13');
    const { project, server, start } = await running();
    const splits: Record<string, unknown>[][] = [
      [{ ...X, ...Y, ...Z }],
      [X, { ...Y, ...Z }],
      [Y, { ...X, ...Z }],
      [Z, X, Y],
      [Z, Y, X],
      [X, Z, Y],
      [{ ...Y, ...Z }, X],
    ];
    for (const split of splits) {
      const id = await start();
      for (const [index, outputs] of split.entries()) {
        const answer = expectWhole(
          'finished_step',
          await server.call('finished_step', { outputs }),
        );
        expect(answer.status).toBe(index === split.length - 1 ? 'next_step' : 'needs_work');
      }
      const done = readView(project, id).step_progress;
      expect(done.x.outputs).toEqual({ from_x: 'a.md', log: 'b.md' });
      expect(done.y.outputs).toEqual({ from_y: ['a.md', 'b.md'], log: 'c.md' });
      expect(done.z.outputs).toEqual({ extra: 'c.md' });
      const end = await server.ok('finished_step', { outputs: {} });
      expect(end.all_outputs).toEqual({
        from_x: 'a.md',
        'x.log': 'b.md',
        from_y: ['a.md', 'b.md'],
        'y.log': 'c.md',
        extra: 'c.md',
      });
    }
  });

  test('missing outputs are named, and no member counts as done that was not submitted', async () => {
    verifies('JOBS-X.13');
    const { project, server, start } = await running();
    const id = await start();
    const first = await server.ok('finished_step', { outputs: { from_x: 'a.md' } });
    expect(first).toMatchObject({
      status: 'needs_work',
      begin_step: null,
      failed_reviews: null,
      failed_criteria: null,
      stack: [{ workflow: 'demo/main' }],
    });
    expect(first.feedback).toMatch(/^'x' is accepted\. Still to be submitted: y /);
    expect(first.feedback).toMatch(/\by\b.*from_y/);
    expect(first.feedback).not.toContain('from_x');
    expect(first.feedback).toMatch(/\bz\b.*step_id "z".*outputs \{\}/);

    const second = await server.ok('finished_step', { outputs: { from_y: ['b.md'] } });
    expect(second.status).toBe('needs_work');
    expect(second.feedback).toMatch(/\bz\b.*step_id "z".*outputs \{\}/);
    const standing = readView(project, id).step_progress;
    expect(standing.y.completed_at).not.toBeNull();
    expect(standing.z.completed_at).toBeNull();

    // A call that names no member submits none.
    const before = keptState(project);
    const none = await server.ok('finished_step', { outputs: {} });
    expect(none).toMatchObject({ status: 'needs_work', reason: 'members_open' });
    expect(none.feedback).toMatch(/\bz\b.*step_id "z".*outputs \{\}/);
    const tried = await server.ok('validate_step_outputs', { outputs: {} });
    expect(tried.valid).toBe(false);
    expect(tried.problems.join()).toMatch(/step_id "z"/);
    expect(keptState(project)).toEqual(before);

    const named = { outputs: {}, step_id: 'z' };
    expect((await server.ok('validate_step_outputs', named)).valid).toBe(true);
    expect((await server.ok('finished_step', named)).begin_step.step_id).toBe('after');
  });

  test('a group without any required output waits for each of its members', async () => {
    verifies('JOBS-X.13', 'JOBS-REQ-001.4.15');
    const { project, server, start } = await running(
      { main: [['p', 'q'], 'after'] },
      { p: {}, q: { outputs: { extra: 'file?' } }, after: {} },
    );
    const id = await start();
    const none = await server.ok('finished_step', { outputs: {} });
    expect(none.status).toBe('needs_work');
    expect(none.feedback).toMatch(/\bp\b.*step_id "p".*\bq\b.*step_id "q"/);
    expect(readView(project, id).revision).toBe(1);
    const first = await server.ok('finished_step', { outputs: {}, step_id: 'p' });
    expect(first.status).toBe('needs_work');
    expect(first.feedback).not.toContain('"p"');
    expect((await server.ok('finished_step', { outputs: {}, step_id: 'p' })).feedback).toBe(
      first.feedback,
    );
    const last = await server.ok('finished_step', { outputs: { extra: 'a.md' } });
    expect(last.begin_step.step_id).toBe('after');
  });

  test('a call repeated while others are open is answered the same', async () => {
    verifies('JOBS-X.13', 'JOBS-X.10');
    const { project, server, start } = await running();
    const id = await start();
    const first = await server.ok('finished_step', { outputs: X, notes: 'x is done' });
    const before = keptState(project);
    expect(await server.ok('finished_step', { outputs: X, notes: 'x is done' })).toEqual(first);
    expect(keptState(project)).toEqual(before);
    await server.ok('finished_step', { outputs: { ...Y, ...Z } });
    expect(readView(project, id)).toMatchObject({
      current_step_id: 'after',
      step_progress: { x: { notes: 'x is done' }, y: { outputs: { log: 'c.md' } } },
    });
  });

  test('members submitted at the same moment lose nothing', async () => {
    verifies('JOBS-X.13');
    const { project, server, start } = await running();
    for (let round = 0; round < 5; round++) {
      const id = await start();
      const answers = await Promise.all([
        server.ok('finished_step', { outputs: X }),
        server.ok('finished_step', { outputs: Y }),
        server.ok('finished_step', { outputs: {}, step_id: 'z' }),
      ]);
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual(['needs_work', 'needs_work', 'next_step']);
      const { x, y, z } = readView(project, id).step_progress;
      expect(x.outputs).toEqual({ from_x: 'a.md', log: 'b.md' });
      expect(y.outputs).toEqual({ from_y: ['a.md', 'b.md'], log: 'c.md' });
      expect(z.completed_at).not.toBeNull();
      await server.ok('finished_step', { outputs: {} });
    }
  });

  test('step_id says whose outputs they are', async () => {
    verifies('JOBS-X.13');
    const { project, server, start } = await running();
    const id = await start();
    const before = keptState(project);
    const call = (step_id: string | null, outputs: unknown) =>
      server.call('finished_step', { outputs, step_id });
    expectRefusal(
      await call('y', {}),
      'Missing required outputs: from_y. All required outputs must be provided.',
    );
    expectRefusal(
      await call(null, { log: 'a.md' }),
      "Output name 'log' is ambiguous. Use one of: x.log, y.log",
    );
    expectRefusal(
      await call(null, { 'x.log': 'a.md' }),
      'Missing required outputs: from_x. All required outputs must be provided.',
    );
    expectRefusal(
      await call(null, {}),
      'Missing required outputs: from_x, from_y. All required outputs must be provided.',
    );
    expectRefusal(
      await call(null, { 'z.log': 'a.md' }),
      'Unknown output names: z.log. Declared outputs: extra, from_x, from_y, x.log, y.log',
    );
    expect(keptState(project)).toEqual(before);
    expect(expectWhole('finished_step', await call('z', {})).status).toBe('needs_work');
    expect(readView(project, id).step_progress.z.completed_at).not.toBeNull();
  });

  test('problems with a shared output use its qualified name', async () => {
    verifies('JOBS-X.13', 'JOBS-REQ-001.5.4', 'JOBS-REQ-001.5.5');
    const { project, server, start } = await running();
    await start();
    const before = keptState(project);
    const call = (outputs: unknown) => server.call('finished_step', { outputs });
    expectRefusal(
      await call({ ...X, 'x.log': 'gone.md' }),
      "Output 'x.log': file not found at 'gone.md'",
    );
    expectRefusal(
      await call({ ...Y, 'y.log': ['a.md'] }),
      "Output 'y.log' is declared as type 'file' and must be a single string path, got list",
    );
    expect(keptState(project)).toEqual(before);
  });

  test('one member that fails does not block the others', async () => {
    verifies('JOBS-X.13', 'JOBS-X.9');
    const rules = [{ type: 'contains', value: 'A', message: 'Must say A' }];
    const strict = { type: 'file', description: 'd', required: true, rules };
    const { project, server, start } = await running(undefined, {
      ...STEPS,
      y: { outputs: { from_y: strict } },
      z: { reviews: [REVIEW] },
    });
    const id = await start();
    const outputs = { from_x: 'a.md', from_y: 'bad.md' };
    const answer = await server.ok('finished_step', { outputs });
    expect(answer.status).toBe('needs_work');
    expect(answer.failed_criteria).toMatchObject([{ criterion: 'Must say A', passed: false }]);
    // z was not submitted, so it is not judged.
    expect(answer.feedback).not.toContain('quality_review');
    expect(answer.feedback).toMatch(/\bz\b.*step_id "z"/);
    const standing = readView(project, id).step_progress;
    expect(standing.x.completed_at).not.toBeNull();
    expect(standing.y.completed_at).toBeNull();
    expect(standing.z.completed_at).toBeNull();

    const fixed = await server.ok('finished_step', { outputs: { from_y: 'a.md' } });
    expect(fixed.status).toBe('needs_work');
    const asked = await server.ok('finished_step', { outputs: {}, step_id: 'z' });
    expect(asked.feedback).toContain(`quality_review_${id}_z.md`);
    const done = await server.ok('finished_step', {
      outputs: {},
      step_id: 'z',
      quality_review_override_reason: 'A subagent said PASSED',
    });
    expect(done.begin_step.step_id).toBe('after');
  });
});
