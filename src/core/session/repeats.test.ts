import { describe, expect, it } from 'vitest';
import {
  aborted,
  finished,
  goTo,
  heardOn,
  hearIn,
  messageOf,
  NOON,
  OWNER,
  said,
  started,
  stateAfter,
} from '../../../test/simulation/by-hand.ts';
import { plainJob, plainStep } from '../../../test/simulation/definitions.ts';
import { verifies } from '../../../test/verifies.ts';
import { decideReview } from './decide.ts';
import { acceptedAsBefore } from './repeats.ts';
import { currentStepId } from './state.ts';
import { decideVerdict } from './verdict.ts';

const a = plainStep('a', 'x!');
const b = plainStep('b', 'y!');
const c = plainStep('c', 'z!');

describe('the same call again', () => {
  const job = plainJob(a, b, plainStep('again', 'y!'), c);

  it('is answered without running if it does not fit the current step', () => {
    verifies('JOBS-X.10');
    const session = finished(started(job), job, { x: 'x' }, { notes: 'n' });
    expect(hearIn(session, job, said({ x: 'x' }, { notes: 'n' }))).toEqual({ kind: 'repeat' });
    expect(hearIn(session, job, said({ x: 'x', gone: null }, { notes: 'n' }))).toEqual({
      kind: 'repeat',
    });
    expect(messageOf(hearIn(session, job, said({ x: 'x' })))).toContain('Unknown output names: x');
    expect(messageOf(hearIn(session, job, said({ x: 'other' }, { notes: 'n' })))).toContain(
      'Unknown',
    );
  });

  it('runs if it fits the current step: two steps in a row may have equal outputs', () => {
    verifies('JOBS-X.10');
    const session = finished(finished(started(job), job, { x: 'x' }), job, { y: 'y' });
    expect(hearIn(session, job, said({ y: 'y' })).kind).toBe('run');
    expect(hearIn(session, job, said({ y: 'y' }, { stepId: 'b' }))).toEqual({ kind: 'repeat' });
    expect(messageOf(hearIn(session, job, said({ y: 'other' }, { stepId: 'b' })))).toBe(
      "Step 'b' is no longer the current step of session '0000abcd'",
    );
  });

  it('does not fit if its shape is wrong', () => {
    verifies('JOBS-X.10');
    const shapes = plainJob(
      plainStep('one', 'y*'),
      plainStep('two', 'y*!'),
      plainStep('three', 'y!'),
    );
    const empty = finished(started(shapes), shapes, { y: [] });
    expect(hearIn(empty, shapes, said({ y: [] }))).toEqual({ kind: 'repeat' });
    const listed = finished(empty, shapes, { y: ['p'] });
    expect(hearIn(listed, shapes, said({ y: ['p'] }))).toEqual({ kind: 'repeat' });
  });

  it('is answered after completion, but not after an abort', () => {
    verifies('JOBS-X.10');
    const short = plainJob(a, b);
    const second = finished(started(short), short, { x: 'x' });
    const done = finished(second, short, { y: 'y' });
    expect(hearIn(done, short, said({ y: 'y' }))).toEqual({ kind: 'repeat' });
    const gone = "Session '0000abcd' not found in active stack";
    expect(messageOf(hearIn(done, short, said({ y: 'other' })))).toBe(gone);
    expect(messageOf(hearIn(aborted(second), short, said({ x: 'x' })))).toBe(gone);
  });

  it('changes nothing while other members are open', () => {
    verifies('JOBS-X.10', 'JOBS-X.13');
    const wide = plainJob([a, b], c);
    const half = finished(started(wide), wide, { x: 'x' });
    const again = heardOn(half, wide, said({ x: 'x' }));
    expect(decideVerdict(half, again)).toEqual({ kind: 'unchanged' });
  });

  it('is recognized by its member if members are submitted one by one with the same outputs', () => {
    verifies('JOBS-X.10', 'JOBS-X.13');
    const wide = plainJob([plainStep('one'), plainStep('two')], c);
    const half = finished(started(wide), wide, {}, { stepId: 'one' });
    const moved = finished(half, wide, {}, { stepId: 'two' });
    expect(currentStepId(moved)).toBe('c');
    for (const stepId of ['one', 'two']) {
      expect(hearIn(moved, wide, said({}, { stepId }))).toEqual({ kind: 'repeat' });
    }
  });

  it('may contain a value nested too deeply to serialize', () => {
    const session = finished(started(job), job, { x: 'x' });
    const deep = JSON.parse(`{"x": ${'['.repeat(200_000)}${']'.repeat(200_000)}}`);
    expect(hearIn(session, job, said(deep)).kind).toBe('refused');
  });
});

describe('calls that overlap', () => {
  const job = plainJob(a, plainStep('b', 'x!'), c);
  const first = started(job);
  const call = said({ x: 'x' });
  const submitted = heardOn(first, job, call);
  const moved = finished(first, job, { x: 'x' });
  const late = "Step 'a' is no longer the current step of session '0000abcd'";

  it('are answered again if they are the same, and late if they are not', () => {
    verifies('JOBS-X.11');
    expect(decideVerdict(moved, submitted)).toEqual({ kind: 'unchanged' });
    const other = heardOn(first, job, said({ x: 'other' }));
    expect(messageOf(decideVerdict(moved, other))).toBe(late);
  });

  it('are late if an equal call was accepted for another step', () => {
    verifies('JOBS-X.10', 'JOBS-X.11');
    const further = finished(moved, job, { x: 'x' });
    expect(currentStepId(further)).toBe('c');
    expect(messageOf(decideVerdict(further, submitted))).toBe(late);
  });

  it('are late if the session went back to the step', () => {
    verifies('JOBS-X.11', 'JOBS-X.21');
    const back = stateAfter(moved, goTo(moved, job, 'a'));
    expect(messageOf(decideVerdict(back, submitted))).toBe(late);
  });

  it('are late if the session was aborted, even if they had been accepted', () => {
    verifies('JOBS-X.11');
    expect(messageOf(decideVerdict(aborted(moved), submitted))).toBe(late);
  });

  it('name the step whose review ended without a verdict', () => {
    verifies('JOBS-X.11');
    const nothing = { ...submitted, call: said({ x: 'other' }), accepted: [], voided: ['a'] };
    expect(messageOf(decideVerdict(moved, nothing))).toBe(late);
  });

  it('start no review of a completed step', () => {
    verifies('JOBS-X.11');
    const review = { at: NOON, by: OWNER, review: 'r', stepIds: ['a'] };
    expect(messageOf(decideReview(moved, { ...review, arrival: 1 }))).toBe(late);
    expect(decideReview(moved, { ...review, arrival: 2 }).kind).toBe('commit');
  });

  it('may each submit a member of one entry', () => {
    verifies('JOBS-X.13');
    const wide = plainJob([a, b], c);
    const start = started(wide);
    const one = heardOn(start, wide, said({ x: 'x' }));
    const other = heardOn(start, wide, said({ y: 'y' }));
    const half = stateAfter(start, decideVerdict(start, other));
    expect(currentStepId(stateAfter(half, decideVerdict(half, one)))).toBe('c');
  });

  it('ask who takes part when they are judged, by what others have said meanwhile', () => {
    verifies('JOBS-X.13');
    const added = { ...plainStep('added', 'w!'), when: { var: 'deep' } };
    const edited = plainJob([a, b, added], c);
    const positionWith = (before: boolean, meanwhile: boolean) => {
      const start = started(plainJob([a, b], c), { deep: before });
      const one = heardOn(start, edited, said({ x: 'x' }));
      const context = { deep: meanwhile };
      const other = heardOn(start, edited, said({ y: 'y' }), { context });
      const half = stateAfter(start, decideVerdict(start, other));
      return stateAfter(half, decideVerdict(half, one)).position;
    };
    expect(positionWith(true, false).members).toEqual(['c']);
    expect(positionWith(false, true)).toMatchObject({
      members: ['a', 'b'],
      feedback: expect.stringMatching(/added/),
    });
  });
});

describe('the step that a call names', () => {
  const job = plainJob(a, b, c);

  it('must be current', () => {
    verifies('JOBS-X.10');
    const second = finished(started(job), job, { x: 'x' });
    const name = (stepId: string) => messageOf(hearIn(second, job, said({ y: 'y' }, { stepId })));
    expect(name('b')).toBe('(run)');
    expect(name('a')).toBe("Step 'a' is no longer the current step of session '0000abcd'");
    expect(name('c')).toBe("Step 'c' is not yet the current step of session '0000abcd'");
    expect(name('q')).toContain("Step 'q' not found in workflow 'flow'.");
  });
});

it('a repeated call is recognized after several others were accepted', () => {
  const job = plainJob(a, b, c, plainStep('d', 'w!'));
  const outputs: Record<string, string>[] = [{ x: 'x.md' }, { y: 'y.md' }, { z: 'z.md' }];
  const fourth = outputs.reduce((state, each) => finished(state, job, each), started(job));
  const known = outputs.map((each) => acceptedAsBefore(fourth, said(each))?.stepIds);
  expect(known).toEqual([['a'], ['b'], ['c']]);
});
