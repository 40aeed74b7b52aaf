// get_active_workflow: what an agent that lost its context gets, in limited size, without changing
// or taking over anything.

import { describe, expect, test } from 'vitest';
import { expectWhole } from '../support/answers.ts';
import { ERAS } from '../support/calls.ts';
import { connect, connectToProcess } from '../support/connect.ts';
import { keptState } from '../support/kept-state.ts';
import { newProject, type Project, REVIEW, writeJob } from '../support/project.ts';
import { verifies } from '../verifies.ts';

const IDS = Array.from({ length: 6 }, (_, index) => `s${index + 1}`);
const LIMIT = 32 * 1024;

/** s1 … s6, each with an optional output; s3 is reviewed. */
function newDemo(): Project {
  const project = newProject({ 'a.md': 'A' });
  writeJob(
    project,
    'demo',
    Object.fromEntries(
      IDS.map((id) => [
        id,
        { outputs: { [`out_${id}`]: 'file?' }, reviews: id === 's3' ? [REVIEW] : [] },
      ]),
    ),
    { main: IDS },
  );
  return project;
}

const START = { goal: 'Find out', job_name: 'demo', workflow_name: 'main' };

/** Everything beside the step itself. */
function sizeBeside(answer: Record<string, unknown>): number {
  const { begin_step: _, stack: __, ...rest } = answer;
  return Buffer.byteLength(JSON.stringify(rest));
}

describe('get_active_workflow', () => {
  test.each(ERAS)('returns the current step, before and after a restart (%s)', async (era) => {
    verifies('JOBS-X.22');
    const project = newDemo();
    const env = { CLAUDE_CODE_SESSION_ID: 'conversation' };
    const first = await connectToProcess(project.root, { era, env, closeAfterTest: false });
    const none = await first.call('get_active_workflow');
    expect(expectWhole('get_active_workflow', none)).toEqual({
      active: false,
      session_id: null,
      goal: null,
      begin_step: null,
      completed_steps: [],
      last_feedback: null,
      orphans: [],
      truncated: false,
      warnings: [],
      stack: [],
    });

    const { begin_step } = await first.ok('start_workflow', START);
    const id = begin_step.session_id;
    const begun = await first.ok('get_active_workflow');
    expect(begun).toMatchObject({ active: true, session_id: id, completed_steps: [], begin_step });
    await first.ok('finished_step', { outputs: { out_s1: 'a.md' }, notes: 'First' });
    const third = (await first.ok('finished_step', { outputs: {} })).begin_step;
    const { feedback } = await first.ok('finished_step', { outputs: {} });
    const before = await first.ok('get_active_workflow');
    await first.close();

    const second = await connect(project.root, { era, env });
    const kept = keptState(project);
    const after = expectWhole(
      'get_active_workflow',
      await second.call('get_active_workflow', { session_id: id }),
    );
    expect(after).toEqual(before);
    expect(after).toEqual({
      active: true,
      session_id: id,
      goal: 'Find out',
      begin_step: third,
      completed_steps: [
        {
          step_id: 's1',
          completed_at: expect.stringMatching(/Z$/),
          outputs: { out_s1: 'a.md' },
          notes: 'First',
        },
        { step_id: 's2', completed_at: expect.stringMatching(/Z$/), outputs: {}, notes: null },
      ],
      last_feedback: feedback,
      orphans: [],
      truncated: false,
      warnings: [],
      stack: [{ workflow: 'demo/main', step: 's3', session_id: id }],
    });
    expect(keptState(project)).toEqual(kept);
    // Once the step is accepted there is no feedback.
    const quality_review_override_reason = 'PASSED';
    await second.ok('finished_step', { outputs: {}, quality_review_override_reason });
    expect((await second.ok('get_active_workflow')).last_feedback).toBeNull();
  });

  test('describes the named session, wherever it is on the stack', async () => {
    verifies('JOBS-X.22');
    const server = await connect(newDemo().root);
    const lower = (await server.ok('start_workflow', START)).begin_step.session_id;
    await server.ok('finished_step', { outputs: {} });
    const upper = (await server.ok('start_workflow', START)).begin_step.session_id;
    const named = await server.ok('get_active_workflow', { session_id: lower });
    expect(named).toMatchObject({ session_id: lower, begin_step: { step_id: 's2' } });
    expect((await server.ok('get_active_workflow')).session_id).toBe(upper);
  });

  test('drops the oldest steps if there is too much', async () => {
    verifies('JOBS-X.22');
    const server = await connect(newDemo().root);
    await server.ok('start_workflow', START);
    const notes = 'é'.repeat(5000);
    const quality_review_override_reason = 'PASSED';
    const finish = () =>
      server.ok('finished_step', { outputs: {}, notes, quality_review_override_reason });
    await finish();
    await finish();
    await finish();
    const whole = await server.ok('get_active_workflow');
    expect(whole).toMatchObject({ truncated: false });
    expect(whole.completed_steps).toHaveLength(3);
    await finish();
    await finish();
    const short = await server.ok('get_active_workflow');
    expect(short.truncated).toBe(true);
    expect(short.completed_steps.map(({ step_id }: { step_id: string }) => step_id)).toEqual([
      's3',
      's4',
      's5',
    ]);
    expect(short.completed_steps[0].notes).toBe(notes);
    expect(sizeBeside(short)).toBeLessThanOrEqual(LIMIT);
    expect(short.begin_step.step_id).toBe('s6');
  });

  test('has a limited size whatever the texts are', async () => {
    verifies('JOBS-X.22');
    const server = await connect(newDemo().root);
    for (const goal of ['g'.repeat(1_000_000), '日'.repeat(300_000), '"\\\n'.repeat(300_000)]) {
      await server.ok('start_workflow', { ...START, goal });
      await server.ok('finished_step', { outputs: {}, notes: 'n'.repeat(1_000_000) });
      const answer = await server.ok('get_active_workflow');
      expect(answer).toMatchObject({ active: true, truncated: true });
      expect(goal.startsWith(answer.goal.slice(0, 1000))).toBe(true);
      expect(sizeBeside(answer)).toBeLessThanOrEqual(LIMIT);
    }
  });
});
