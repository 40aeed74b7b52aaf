// The same call again, and calls that come too late.

import { describe, expect, test } from 'vitest';
import {
  aborted,
  codeOf,
  finished,
  goTo,
  heardOn,
  hearIn,
  said,
  started,
  stateAfter,
} from '../../../test/simulation/by-hand.ts';
import { plainJob, plainStep } from '../../../test/simulation/definitions.ts';
import { verifies } from '../../../test/verifies.ts';
import { acceptedAsBefore } from './repeats.ts';
import { currentStepId } from './state.ts';
import { decideVerdict } from './verdict.ts';

const a = plainStep('a', 'x!');
const b = plainStep('b', 'y!');
const c = plainStep('c', 'z!');

describe('the same call again', () => {
  const job = plainJob(a, b, plainStep('again', 'y!'), c);
  const second = finished(started(job), job, { x: 'x' }, { notes: 'n' });
  const third = finished(second, job, { y: 'y' });

  test.each([
    ['as it was', second, said({ x: 'x' }, { notes: 'n' }), '(repeat)'],
    [
      'with a name without a value',
      second,
      said({ x: 'x', gone: null }, { notes: 'n' }),
      '(repeat)',
    ],
    ['without its notes', second, said({ x: 'x' }), 'outputs_unknown'],
    ['with another file', second, said({ x: 'other' }, { notes: 'n' }), 'outputs_unknown'],
    // Two steps in a row may have equal outputs.
    ['which fits the next step, too', third, said({ y: 'y' }), '(run)'],
    ['with its step', third, said({ y: 'y' }, { stepId: 'b' }), '(repeat)'],
    [
      'with its step and another file',
      third,
      said({ y: 'z' }, { stepId: 'b' }),
      'step_not_current',
    ],
    ['with a later step', second, said({ y: 'y' }, { stepId: 'c' }), 'step_not_current'],
    ['with an unknown step', second, said({ y: 'y' }, { stepId: 'q' }), 'step_not_found'],
  ])('%s', (_how, session, call, expected) => {
    verifies('JOBS-X.10');
    expect(codeOf(hearIn(session, job, call))).toBe(expected);
  });

  test('does not fit the next step if its shape is wrong there', () => {
    verifies('JOBS-X.10');
    const shapes = plainJob(
      plainStep('one', 'y*'),
      plainStep('two', 'y*!'),
      plainStep('three', 'y!'),
    );
    const empty = finished(started(shapes), shapes, { y: [] });
    expect(codeOf(hearIn(empty, shapes, said({ y: [] })))).toBe('(repeat)');
    const listed = finished(empty, shapes, { y: ['p'] });
    expect(codeOf(hearIn(listed, shapes, said({ y: ['p'] })))).toBe('(repeat)');
  });

  test('is answered after completion, but not after an abort', () => {
    verifies('JOBS-X.10');
    const short = plainJob(a);
    const done = finished(started(short), short, { x: 'x' });
    expect(codeOf(hearIn(done, short, said({ x: 'x' })))).toBe('(repeat)');
    expect(codeOf(hearIn(done, short, said({ x: 'y' })))).toBe('session_not_found');
    expect(codeOf(hearIn(aborted(third), job, said({ y: 'y' })))).toBe('session_not_found');
  });

  test('changes nothing while other members are open, and is known by each member', () => {
    verifies('JOBS-X.10', 'JOBS-X.13');
    const wide = plainJob([plainStep('one'), plainStep('two')], c);
    const half = finished(started(wide), wide, {}, { stepId: 'one' });
    const again = heardOn(half, wide, said({}, { stepId: 'one' }));
    expect(codeOf(decideVerdict(half, again))).toBe('(unchanged)');
    const moved = finished(half, wide, {}, { stepId: 'two' });
    for (const stepId of ['one', 'two']) {
      expect(codeOf(hearIn(moved, wide, said({}, { stepId })))).toBe('(repeat)');
    }
  });

  test('is recognized after several others were accepted', () => {
    const fourth = finished(third, job, { y: 'y2' });
    const known = [said({ x: 'x' }, { notes: 'n' }), said({ y: 'y' }), said({ y: 'y2' })];
    const steps = known.map((call) => acceptedAsBefore(fourth, call)?.stepIds);
    expect(steps).toEqual([['a'], ['b'], ['again']]);
  });

  test('may contain a value nested too deeply to serialize', () => {
    const deep = JSON.parse(`{"x": ${'['.repeat(200_000)}${']'.repeat(200_000)}}`);
    expect(hearIn(second, job, said(deep)).kind).toBe('refused');
  });
});

test('a call that is judged late changes nothing, unless it is the accepted one', () => {
  verifies('JOBS-X.10', 'JOBS-X.11', 'JOBS-X.21');
  const job = plainJob(a, plainStep('b', 'x!'), c);
  const first = started(job);
  const heard = heardOn(first, job, said({ x: 'x' }));
  const moved = finished(first, job, { x: 'x' });
  expect(codeOf(decideVerdict(moved, heard))).toBe('(unchanged)');
  const other = { ...heard, call: said({ x: 'other' }) };
  const late = [
    decideVerdict(moved, other),
    decideVerdict(moved, { ...other, accepted: [], voided: ['a'] }),
    // An equal call was accepted for another step, the session went back, or it was aborted.
    decideVerdict(finished(moved, job, { x: 'x' }), heard),
    decideVerdict(stateAfter(moved, goTo(moved, job, 'a')), heard),
    decideVerdict(aborted(moved), heard),
  ];
  expect(late.map(codeOf)).toEqual(late.map(() => 'step_not_current'));
});

test('calls that overlap may each submit a member of one entry', () => {
  verifies('JOBS-X.13');
  const wide = plainJob([a, b], c);
  const start = started(wide);
  const [one, other] = [said({ x: 'x' }), said({ y: 'y' })].map((call) =>
    heardOn(start, wide, call),
  );
  if (one === undefined || other === undefined) throw new Error('two calls');
  const half = stateAfter(start, decideVerdict(start, other));
  expect(currentStepId(stateAfter(half, decideVerdict(half, one)))).toBe('c');
});
