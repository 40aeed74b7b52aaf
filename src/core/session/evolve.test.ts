// What an event leaves behind, and what the readable view shows of it.

import { describe, expect, test } from 'vitest';
import {
  ABORT,
  failure,
  finished,
  goTo,
  judged,
  NOON,
  OWNER,
  said,
  started,
  stateAfter,
  viewOf,
  viewText,
} from '../../../test/simulation/by-hand.ts';
import { plainJob, plainStep } from '../../../test/simulation/definitions.ts';
import { verifies } from '../../../test/verifies.ts';
import { decideAbort, decideReview } from './decide.ts';
import type { Evidence } from './events.ts';
import { progressOf, progressOfAll } from './progress.ts';
import { allOutputs, REVISION_WITHIN, revisionIn } from './view.ts';

const job = plainJob(plainStep('a', 'x!'), plainStep('b', 'y!'), plainStep('c', 'z!'));

test('going back to a step drops its passed verdicts and its feedback', () => {
  const evidence: Evidence = {
    ...{ key: 'review of x', step_id: 'a', kind: 'review', name: 'x', passed: true },
    ...{ said: 'fine', files: { 'x.md': 'hash' }, milliseconds: 1 },
  };
  const verdict = { accepted: [], failed: [failure('a')], evidence: [evidence] };
  const state = judged(started(job), job, said({ x: 'x.md' }), verdict);
  expect(state.position).toMatchObject({ passed: ['review of x'], feedback: 'a is bad' });
  const back = stateAfter(state, goTo(state, job, 'a'));
  expect(back.position).toMatchObject({ passed: [], feedback: null });
});

describe('each arrival keeps the progress of its own', () => {
  const failed = { accepted: [], failed: [failure('a')] };
  const second = finished(judged(started(job), job, said({ x: 'x1' }), failed), job, { x: 'x1' });
  const third = finished(second, job, { y: 'y1' });

  test('and its feedback, when the session moves on', () => {
    expect(second).toMatchObject({
      position: { arrival: 2, feedback: null, progress: [{ stepId: 'b' }] },
      earlier: [{ arrival: 1, progress: [{ stepId: 'a', attempts: 1, outputs: { x: 'x1' } }] }],
    });
    expect(second.position.progress).toHaveLength(1);
  });

  test('and going back clears the target and all after it, and begins a new arrival', () => {
    const back = stateAfter(third, goTo(third, job, 'b'));
    expect(back.earlier.map(({ arrival }) => arrival)).toEqual([1]);
    expect(back.position).toMatchObject({ arrival: 4, progress: [{ completedAt: null }] });
    expect(progressOfAll(back)).toMatchObject([{ stepId: 'a' }, { stepId: 'b' }]);
  });

  test('and the last arrival with a step has its current progress', () => {
    const anew = started(job).position;
    const later = { ...third, earlier: [...third.earlier, anew] };
    expect(progressOf(third, 'a')).toMatchObject({ attempts: 1 });
    expect(progressOf(later, 'a')).toBe(anew.progress[0]);
    expect(progressOf(later, 'constructor')).toBeUndefined();
  });
});

describe('the view', () => {
  test('shows every field of the contract, and begins with its revision', () => {
    verifies('JOBS-X.20');
    const session = finished(started(job), job, { x: 'x.md' }, { notes: 'why' });
    const view = viewOf(session);
    expect(Object.keys(view)).toEqual([
      ...['session_id', 'revision', 'job_name', 'workflow_name', 'instance_id', 'goal'],
      ...['current_step_id', 'current_entry_index', 'started_at', 'completed_at', 'status'],
      ...['abort_reason', 'agent', 'parent_session_id', 'branch_name', 'job_dir', 'context'],
      ...['last_accepted', 'step_progress', 'history'],
    ]);
    const times = { started_at: NOON, completed_at: NOON };
    expect(view).toMatchObject({
      ...{ session_id: '0000abcd', current_step_id: 'b', current_entry_index: 1, revision: 2 },
      ...{
        status: 'active',
        completed_at: null,
        agent: { owner: 'agent-1', process: 'agent-1#1' },
      },
      last_accepted: { step_ids: ['a'], outputs: { x: 'x.md' }, notes: 'why' },
      step_progress: {
        a: { step_id: 'a', ...times, outputs: { x: 'x.md' }, notes: 'why', quality_attempts: 0 },
        b: { completed_at: null, outputs: {}, notes: null },
      },
    });
    expect(revisionIn(viewText(session).slice(0, REVISION_WITHIN))).toBe(2);
    expect(revisionIn('{}')).toBeNull();
  });

  test('shows why a session was aborted', () => {
    verifies('JOBS-REQ-001.6.5');
    const session = started(job);
    const view = viewOf(stateAfter(session, decideAbort(session, ABORT)));
    expect(view).toMatchObject({ status: 'aborted', abort_reason: 'no use', completed_at: NOON });
  });

  test('counts a review as an attempt while it runs, and not when its entry is left', () => {
    verifies('JOBS-REQ-001.4.11');
    const members = [plainStep('a', 'x!'), plainStep('b', 'y!')];
    const attempts = (session: Parameters<typeof viewOf>[0]) =>
      viewOf(session).step_progress.a.quality_attempts;
    // What is accepted already is handed in again, and while it is reviewed the other one is done.
    const review = { at: NOON, by: OWNER, arrival: 1, review: 'r', stepIds: ['a'] };
    for (const wide of [plainJob(members, plainStep('c', 'z!')), plainJob(members)]) {
      const half = finished(started(wide), wide, { x: 'x' });
      const reviewed = stateAfter(half, decideReview(half, review));
      expect(attempts(reviewed)).toBe(1);
      expect(attempts(finished(reviewed, wide, { y: 'y' }))).toBe(0);
    }
  });

  test('merges outputs: a later step wins, shared names stay apart, open steps have none', () => {
    verifies('JOBS-REQ-001.4.16', 'JOBS-X.13');
    const shared = plainJob(
      plainStep('a', 'x!', 'same'),
      [plainStep('b', 'y'), plainStep('c', 'y')],
      plainStep('d', 'same!'),
    );
    const first = finished(started(shared), shared, { x: 'x.md', same: 'early' });
    const half = finished(first, shared, { 'b.y': '1' });
    expect(allOutputs(half)).toEqual({ x: 'x.md', same: 'early', 'b.y': '1' });
    const done = finished(finished(half, shared, { 'c.y': '2' }), shared, { same: 'late' });
    expect(allOutputs(done)).toEqual({ x: 'x.md', same: 'late', 'b.y': '1', 'c.y': '2' });
  });
});
