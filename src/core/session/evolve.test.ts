import { describe, expect, test } from 'vitest';
import {
  failure,
  finished,
  goTo,
  judged,
  NOON,
  OWNER,
  said,
  started,
  stateAfter,
} from '../../../test/simulation/by-hand.ts';
import { plainJob, plainStep } from '../../../test/simulation/definitions.ts';
import type { Evidence } from './events.ts';
import { evolve } from './evolve.ts';
import { isCompleted, progressOf, progressOfAll } from './progress.ts';

test('going back to a step drops its passed verdicts and its feedback', () => {
  const job = plainJob(plainStep('a', 'x!'));
  const evidence: Evidence = {
    key: 'review of x',
    step_id: 'a',
    kind: 'review',
    name: 'x',
    passed: true,
    said: 'fine',
    files: { 'x.md': 'hash' },
    milliseconds: 1,
  };
  const verdict = { accepted: [], failed: [failure('a')], evidence: [evidence] };
  const state = judged(started(job), job, said({ x: 'x.md' }), verdict);
  expect(state.position).toMatchObject({ passed: ['review of x'], feedback: 'a is bad' });
  const back = stateAfter(state, goTo(state, job, 'a'));
  expect(back.position).toMatchObject({ passed: [], feedback: null });
});

describe('each arrival keeps the progress of its own', () => {
  const job = plainJob(plainStep('a', 'x!'), plainStep('b', 'y!'), plainStep('c', 'z!'));
  const failed = { accepted: [], failed: [failure('a')] };
  const second = finished(judged(started(job), job, said({ x: 'x1' }), failed), job, { x: 'x1' });
  const third = finished(second, job, { y: 'y1' });

  test('and its feedback, when the session moves on', () => {
    expect(second.position).toMatchObject({
      arrival: 2,
      feedback: null,
      progress: [{ stepId: 'b' }],
    });
    expect(second.earlier).toMatchObject([
      {
        arrival: 1,
        feedback: null,
        progress: [{ stepId: 'a', attempts: 1, outputs: { x: 'x1' } }],
      },
    ]);
    expect(second.position.progress.map(({ stepId }) => stepId)).toEqual(['b']);
  });

  test('and going back clears the target and all after it, and begins a new arrival', () => {
    const back = stateAfter(third, goTo(third, job, 'b'));
    expect(back.earlier.map(({ arrival }) => arrival)).toEqual([1]);
    expect(back.position).toMatchObject({
      arrival: 4,
      progress: [{ stepId: 'b', completedAt: null }],
    });
    expect(progressOfAll(back)).toMatchObject([{ stepId: 'a' }, { stepId: 'b' }]);
    expect(isCompleted(back, 'a')).toBe(true);
  });

  test('and the last arrival with a step has its current progress', () => {
    const anew = started(job).position;
    const later = { ...third, earlier: [...third.earlier, anew] };
    expect(progressOf(third, 'a')).toMatchObject({ attempts: 1 });
    expect(progressOf(later, 'a')).toBe(anew.progress[0]);
    expect(progressOf(later, 'a')).toBe(anew.progress[0]);
    expect(progressOf(later, 'constructor')).toBeUndefined();
  });
});

test('a takeover records all sessions of the stack that it was meant for', () => {
  const session = started(plainJob(plainStep('a', 'x!')));
  const owner = { ...OWNER, identity: 'next' };
  const stack = [
    { id: session.id, takeovers: 0 },
    { id: '0000beef', takeovers: 2 },
  ];
  const taken = evolve(session, { type: 'adopted', at: NOON, data: { owner, level: 3, stack } });
  expect(taken).toMatchObject({ owner, level: 3, takeovers: 1, takenWith: stack });
});
