import { expect, it } from 'vitest';
import {
  ABORT,
  finished,
  NOON,
  OWNER,
  started,
  stateAfter,
  viewOf,
  viewText,
} from '../../../test/simulation/by-hand.ts';
import { plainJob, plainStep } from '../../../test/simulation/definitions.ts';
import { verifies } from '../../../test/verifies.ts';
import { decideAbort, decideReview } from './decide.ts';
import { allOutputs, REVISION_WITHIN, revisionIn } from './view.ts';

const job = plainJob(
  plainStep('a', 'x!', 'same'),
  [plainStep('b', 'y'), plainStep('c', 'y')],
  plainStep('d', 'same!'),
);

it('shows every field of the contract', () => {
  verifies('JOBS-X.20');
  const view = viewOf(finished(started(job), job, { x: 'x.md' }, { notes: 'why' }));
  expect(Object.keys(view)).toEqual([
    'session_id',
    'revision',
    'job_name',
    'workflow_name',
    'instance_id',
    'goal',
    'current_step_id',
    'current_entry_index',
    'started_at',
    'completed_at',
    'status',
    'abort_reason',
    'agent',
    'parent_session_id',
    'branch_name',
    'job_dir',
    'context',
    'last_accepted',
    'step_progress',
    'history',
  ]);
  expect(view).toMatchObject({
    session_id: '0000abcd',
    current_step_id: 'b',
    current_entry_index: 1,
    revision: 2,
    status: 'active',
    completed_at: null,
    agent: { owner: 'agent-1', process: 'agent-1#1' },
    last_accepted: { step_ids: ['a'], outputs: { x: 'x.md' }, notes: 'why' },
    step_progress: {
      a: {
        step_id: 'a',
        started_at: NOON,
        completed_at: NOON,
        outputs: { x: 'x.md' },
        notes: 'why',
        quality_attempts: 0,
      },
      b: { completed_at: null, outputs: {}, notes: null },
      c: { completed_at: null },
    },
  });
});

it('begins with its revision, which can be read without the rest', () => {
  const session = finished(started(job), job, { x: 'x.md' });
  expect(revisionIn(viewText(session).slice(0, REVISION_WITHIN))).toBe(2);
  expect(revisionIn('{}')).toBeNull();
});

it('counts a running review as an attempt', () => {
  verifies('JOBS-REQ-001.4.11');
  const session = started(job);
  const review = { at: NOON, by: OWNER, arrival: 1, review: 'r', stepIds: ['a'] };
  const view = viewOf(stateAfter(session, decideReview(session, review)));
  expect(view.step_progress).toMatchObject({ a: { quality_attempts: 1 } });
});

it('counts no review that has not said anything when its entry is left', () => {
  verifies('JOBS-REQ-001.4.11');
  const wide = plainJob([plainStep('a', 'x!'), plainStep('b', 'y!')], plainStep('c', 'z!'));
  const half = finished(started(wide), wide, { x: 'x' });
  // What is accepted already is handed in again, and while it is reviewed the other one is done.
  const review = { at: NOON, by: OWNER, arrival: 1, review: 'r', stepIds: ['a'] };
  const reviewed = stateAfter(half, decideReview(half, review));
  expect(viewOf(reviewed).step_progress).toMatchObject({ a: { quality_attempts: 1 } });
  const left = finished(reviewed, wide, { y: 'y' });
  expect(left.position.members).toEqual(['c']);
  expect(viewOf(left).step_progress).toMatchObject({ a: { quality_attempts: 0 } });
  const last = plainJob([plainStep('a', 'x!'), plainStep('b', 'y!')]);
  const ended = finished(reviewed, last, { y: 'y' });
  expect(ended.status).toBe('completed');
  expect(viewOf(ended).step_progress).toMatchObject({ a: { quality_attempts: 0 } });
});

it('shows why a session was aborted', () => {
  verifies('JOBS-REQ-001.6.5');
  const session = started(job);
  const view = viewOf(stateAfter(session, decideAbort(session, ABORT)));
  expect(view).toMatchObject({ status: 'aborted', abort_reason: 'no use', completed_at: NOON });
});

it('merges outputs: a later step wins, shared names stay apart', () => {
  verifies('JOBS-REQ-001.4.16');
  const first = finished(started(job), job, { x: 'x.md', same: 'early' });
  const second = finished(first, job, { 'b.y': '1', 'c.y': '2' });
  const done = finished(second, job, { same: 'late' });
  expect(allOutputs(done)).toEqual({ x: 'x.md', same: 'late', 'b.y': '1', 'c.y': '2' });
});

it('omits outputs of steps that are not complete', () => {
  const wide = plainJob([plainStep('a', 'x!'), plainStep('b', 'y!')]);
  const half = finished(started(wide), wide, { x: 'x' });
  expect(allOutputs(half)).toEqual({ x: 'x' });
});
