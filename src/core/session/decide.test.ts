// What may happen to a session, rule by rule. The histories (test/histories) hold all of it together.

import { describe, expect, test } from 'vitest';
import {
  ABORT,
  aborted,
  codeOf,
  failure,
  finished,
  goTo,
  heardOn,
  hearIn,
  judged,
  NOON,
  OWNER,
  said,
  startDecision,
  started,
  stateAfter,
} from '../../../test/simulation/by-hand.ts';
import { type PlainJob, plainJob, plainStep } from '../../../test/simulation/definitions.ts';
import { verifies } from '../../../test/verifies.ts';
import { decideAsked } from './approval-answer.ts';
import { decideAbort, decideAdopt, decideChecks, decideReview } from './decide.ts';
import { evolve } from './evolve.ts';
import { historyItems } from './history.ts';
import { progressOf } from './progress.ts';
import { currentStepId } from './state.ts';
import { decideVerdict } from './verdict.ts';
import { allOutputs } from './view.ts';

const a = plainStep('a', 'x!');
const b = plainStep('b', 'y!');
const c = plainStep('c', 'z!');
const never = { var: 'never' };

describe('start', () => {
  test('skips what does not apply, and is refused if nothing does', () => {
    verifies('JOBS-X.14', 'JOBS-REQ-001.3.7');
    const job = plainJob({ ...a, when: { var: 'deep' } }, [{ ...b, when: never }, c]);
    expect(started(job).position).toMatchObject({ members: ['c'], skipped: ['b'] });
    expect(currentStepId(started(job, { deep: true }))).toBe('a');
    const nothing = plainJob({ ...a, when: never }, [{ ...b, when: never }]);
    expect(codeOf(startDecision(nothing))).toBe('workflow_empty');
  });

  test('sets reserved variables that a caller cannot override', () => {
    const job = plainJob({ ...a, when: { var: 'workflow_name', equals: 'flow' } });
    const own = { goal: 'the goal', job_name: 'job', workflow_name: 'flow', instance_id: null };
    const { context } = started(job, { workflow_name: 'other', goal: 'other', kept: 1 });
    expect(context).toEqual({ kept: 1, ...own });
  });
});

describe('a verdict', () => {
  test('leads to the next entry that applies, and completes the last', () => {
    verifies('JOBS-REQ-001.4.16', 'JOBS-REQ-001.4.17', 'JOBS-X.14');
    const job = plainJob(a, b, { ...c, when: never });
    const second = finished(started(job), job, { x: 'x.md' });
    expect(currentStepId(second)).toBe('b');
    const done = finished(second, job, { y: 'y.md' });
    expect(done.status).toBe('completed');
    expect(allOutputs(done)).toEqual({ x: 'x.md', y: 'y.md' });
  });

  test('reads conditions with the context of its own call, unless the call failed', () => {
    verifies('JOBS-X.14');
    const job = plainJob(a, { ...b, when: { var: 'deep' } }, c);
    const context = { deep: true, goal: 'mine' };
    const going = judged(started(job), job, said({ x: 'x' }), { context });
    expect(going).toMatchObject({
      position: { members: ['b'] },
      context: { deep: true, goal: 'the goal' },
    });
    const failing = { accepted: [], failed: [failure('a')], context };
    const stays = judged(started(job), job, said({ x: 'x' }), failing);
    expect(stays.context).not.toHaveProperty('deep');
  });

  test('of a reviewer counts as an attempt, and no other', () => {
    verifies('JOBS-REQ-001.4.10');
    const job = plainJob(a, b);
    const stages = ['rules', 'checks', 'self_review', 'review'] as const;
    const session = stages.reduce((state, stage) => {
      return judged(state, job, said({ x: 'x' }), { accepted: [], failed: [failure('a', stage)] });
    }, started(job));
    expect(progressOf(session, 'a')?.attempts).toBe(1);
  });

  test('keeps the members that passed until all have, and opens again what fails later', () => {
    verifies('JOBS-X.13');
    const job = plainJob([a, b], c);
    const half = finished(started(job), job, { x: 'x' }, { notes: 'old' });
    expect(half.position).toMatchObject({ arrival: 1, reason: 'members_open' });
    expect(currentStepId(finished(half, job, { y: 'y' }))).toBe('c');
    const again = finished(half, job, { x: 'x' }, { notes: 'new' });
    expect(again.position.progress[0]?.notes).toBe('new');
    const call = said({ x: 'changed', y: 'y' });
    const accepted = heardOn(half, job, call).accepted.filter(({ step_id }) => step_id === 'b');
    const stays = judged(half, job, call, { accepted, failed: [failure('a')] });
    expect(stays.position).toMatchObject({ arrival: 1, feedback: 'a is bad', reason: 'reviews' });
    expect(currentStepId(finished(stays, job, { x: 'x' }))).toBe('c');
  });
});

test('nothing happens to a session that has ended, or to an entry that it has left', () => {
  const job = plainJob(a, b);
  const over = aborted(started(job));
  const adoption = { at: NOON, owner: OWNER, level: 1, stack: [] };
  const command = { at: NOON, by: OWNER, arrival: 1, stepIds: ['a'] };
  const asked = { ...command, name: 'a', question: 'q-1', feedback: 'Wait.' };
  expect(codeOf(decideAbort(over, ABORT))).toBe('session_not_found');
  expect(codeOf(decideAdopt(over, adoption))).toBe('session_not_found');
  expect(codeOf(goTo(over, job, 'a'))).toBe('session_not_found');
  const moved = finished(started(job), job, { x: 'x' });
  for (const past of [over, moved]) {
    expect(codeOf(decideChecks(past, 'checking', command))).toBe('(unchanged)');
    expect(codeOf(decideReview(past, { ...command, review: 'r' }))).toBe('step_not_current');
    expect(codeOf(decideAsked(past, asked))).toBe('step_not_current');
  }
});

test('a question to a person is recorded once, however often the agent asks', () => {
  const session = started(plainJob(a, b));
  const command = {
    at: NOON,
    by: OWNER,
    arrival: 1,
    name: 'a',
    question: 'q-1',
    feedback: 'Wait.',
  };
  const asked = stateAfter(session, decideAsked(session, command));
  expect(codeOf(decideAsked(asked, command))).toBe('(unchanged)');
  expect(codeOf(decideAsked(asked, { ...command, question: 'q-2' }))).toBe('(commit)');
});

describe('going back', () => {
  const job = plainJob(a, [b, c], plainStep('d', 'w!'));
  const second = finished(started(job), job, { x: 'x' });
  const atEnd = finished(second, job, { y: 'y', z: 'z' });

  test('clears the target and everything after it, and asks no condition', () => {
    verifies('JOBS-X.21', 'JOBS-X.14');
    const decision = goTo(atEnd, job, 'c');
    expect(decision).toMatchObject({ event: { data: { invalidated: ['b', 'c', 'd'] } } });
    const session = stateAfter(atEnd, decision);
    expect(allOutputs(session)).toEqual({ x: 'x' });
    expect(session).toMatchObject({ lastAccepted: null, position: { arrival: 4, entryIndex: 1 } });
    expect(goTo(atEnd, job, 'd')).toMatchObject({ event: { data: { invalidated: ['d'] } } });
    const skips = plainJob({ ...a, when: never }, b);
    expect(currentStepId(stateAfter(started(skips), goTo(started(skips), skips, 'a')))).toBe('a');
  });

  test('is refused for later and unknown steps', () => {
    verifies('JOBS-X.21');
    expect(codeOf(goTo(second, job, 'd'))).toBe('step_ahead');
    expect(codeOf(goTo(second, job, 'q'))).toBe('step_not_found');
  });
});

describe('an edit during a run', () => {
  const wide = plainJob([a, b], c);
  const edition = (...entries: Parameters<typeof plainJob>): PlainJob => {
    return { ...plainJob(...entries), inUse: 'edition-2' };
  };

  test('may remove the open member, or add one, and is in the history', () => {
    verifies('JOBS-X.12', 'JOBS-X.13');
    const half = finished(started(wide), wide, { x: 'x' });
    const narrow = finished(half, edition(a, c), { x: 'x' });
    expect(currentStepId(narrow)).toBe('c');
    const changed = { event: 'definition_changed', definition: 'edition-2' };
    expect(historyItems(narrow.history)).toContainEqual(expect.objectContaining(changed));
    // Who takes part is asked when a call is judged, by what others have said meanwhile.
    const added = { ...plainStep('added', 'w!'), when: { var: 'deep' } };
    const wider = edition([a, b, added], c);
    for (const [before, meanwhile, step] of [
      [true, false, 'c'],
      [false, true, 'a'],
    ] as const) {
      const start = started(wide, { deep: before });
      const one = heardOn(start, wider, said({ x: 'x' }));
      const other = heardOn(start, wider, said({ y: 'y' }), { context: { deep: meanwhile } });
      const first = stateAfter(start, decideVerdict(start, other));
      expect(currentStepId(stateAfter(first, decideVerdict(first, one)))).toBe(step);
    }
  });

  test('may remove the current step: that is refused, and one can go back, but not ahead', () => {
    verifies('JOBS-X.12', 'JOBS-X.21');
    expect(codeOf(hearIn(started(wide), plainJob(c), said({ z: 'z' })))).toBe('step_not_found');
    const before = plainJob(a, b, c);
    const second = finished(started(before), before, { x: 'x.md' });
    const edited = edition(a, plainStep('other', 'y!'), c);
    expect(codeOf(goTo(second, edited, 'c'))).toBe('step_ahead');
    // What is no longer in the file is not before the target.
    const back = goTo(second, edited, 'a');
    expect(back).toMatchObject({ event: { data: { invalidated: ['a', 'b'] } } });
  });
});

test('the actor is recorded as the owner only if it owns the session', () => {
  verifies('JOBS-X.19');
  const job = plainJob(a, b);
  const heir = { identity: 'agent-2', process: 'agent-2#1' };
  const session = started(job);
  const stack = [
    { id: session.id, takeovers: 0 },
    { id: '0000beef', takeovers: 2 },
  ];
  const data = { owner: heir, level: 3, stack };
  const adopted = evolve(session, { type: 'adopted', at: NOON, data });
  expect(adopted).toMatchObject({ owner: heir, level: 3, takeovers: 1, takenWith: stack });
  const by = { identity: OWNER.identity, process: 'agent-1#2' };
  expect(judged(adopted, job, said({ x: 'x' }), { by }).owner).toEqual(heir);
  expect(judged(session, job, said({ x: 'x' }), { by }).owner).toEqual(by);
});
