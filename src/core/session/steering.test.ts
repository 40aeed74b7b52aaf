import { describe, expect, test } from 'vitest';
import {
  ABORT,
  finished,
  goTo,
  heardOn,
  NOON,
  OWNER,
  said,
  started,
  stateAfter,
  viewOf,
} from '../../../test/simulation/by-hand.ts';
import { plainJob, plainStep, toWorkflow } from '../../../test/simulation/definitions.ts';
import { decideAbort, decideGoBack } from './decide.ts';
import { historyItems } from './history.ts';
import { jobStepGone } from './refusals.ts';
import type { Session } from './state.ts';
import {
  decideInformed,
  decideStackChanged,
  mustInformAgent,
  steeredByPerson,
} from './steering.ts';
import { decideVerdict } from './verdict.ts';

const job = plainJob(plainStep('a', 'x!'), plainStep('b', 'y!'));
const inUse = { workflow: toWorkflow(job), hash: job.inUse, stepGone: jobStepGone };
const second = finished(started(job), job, { x: 'x.md' });
const person = { person: 'Ada' };

function sentBack(session: Session): Session {
  const command = { at: NOON, by: person, reason: 'the plan is wrong', stepId: 'a', inUse };
  return stateAfter(session, decideGoBack(session, command));
}

function informed(session: Session): Session {
  return stateAfter(session, decideInformed(session, { at: NOON, by: OWNER }));
}

describe('a run that a person sent back', () => {
  const back = sentBack(second);

  test('names the person and the reason in its feedback and its history', () => {
    expect(back.position.feedback).toBe("Ada sent this run back to step 'a': the plan is wrong");
    expect(historyItems(back.history).at(-1)).toMatchObject({
      event: 'went_back',
      step_id: 'a',
      person: 'Ada',
      reason: 'the plan is wrong',
    });
    expect(back.owner).toEqual(second.owner);
  });

  test('informs its agent once', () => {
    expect(mustInformAgent(back)).toBe(true);
    const told = informed(back);
    expect(mustInformAgent(told)).toBe(false);
    expect(told.steering?.informed).toEqual({ seq: back.seq + 1, process: OWNER.process });
    expect(decideInformed(told, { at: NOON, by: OWNER }).kind).toBe('unchanged');
    expect(finished(told, job, { x: 'x2.md' }).steering).toBeNull();
  });

  test('is opened again if it was complete, which its agent cannot do', () => {
    const complete = finished(second, job, { y: 'y.md' });
    expect(complete.status).toBe('completed');
    expect(goTo(complete, job, 'a').kind).toBe('refused');
    expect(sentBack(complete).status).toBe('active');
  });

  test('does not count as a move of its agent whose answer was lost', () => {
    expect(back.lastMove).toBeNull();
    expect(stateAfter(second, goTo(second, job, 'a')).lastMove?.kind).toBe('went_back');
  });

  test('refuses a submission that was being judged, and names the person and the reason', () => {
    const late = heardOn(second, job, said({ y: 'y.md' }));
    expect(decideVerdict(back, late)).toMatchObject({
      kind: 'refused',
      refusal: { next: expect.stringContaining('Ada sent this run back to step') },
    });
  });
});

describe('a run that a person aborted', () => {
  const ended = stateAfter(second, decideAbort(second, { ...ABORT, by: person }));

  test('names the person in its view and its history', () => {
    expect(ended).toMatchObject({ status: 'aborted', abortReason: 'no use', abortedBy: 'Ada' });
    expect(viewOf(ended)).toMatchObject({ abort_reason: 'no use', aborted_by: 'Ada' });
    expect(historyItems(ended.history).at(-1)).toMatchObject({ event: 'aborted', person: 'Ada' });
  });

  test('differs from one that its agent aborted', () => {
    const own = stateAfter(second, decideAbort(second, ABORT));
    expect(own.abortedBy).toBeNull();
    expect(viewOf(own)).not.toHaveProperty('aborted_by');
  });

  test('cannot be sent back, informed or aborted again', () => {
    expect(decideGoBack(ended, { at: NOON, by: person, stepId: 'a', inUse }).kind).toBe('refused');
    expect(decideInformed(ended, { at: NOON, by: OWNER }).kind).toBe('refused');
    expect(decideAbort(ended, { ...ABORT, by: person }).kind).toBe('refused');
  });
});

describe('a run whose stack a person changed', () => {
  const change = { at: NOON, ended: '0000beef', person: 'Ada', reason: 'not needed' };
  const below = stateAfter(second, decideStackChanged(second, change));

  test('refuses the next call, which was meant for the aborted run', () => {
    const { steering } = below;
    if (steering === null) throw new Error('nothing to tell');
    const { message, next } = steeredByPerson(below, steering);
    expect(message).toBe(
      'Ada aborted run 0000beef: not needed. Nothing of this call was recorded.',
    );
    expect(next).toContain("step 'b'");
  });

  test('still informs its agent if another call advances the run first', () => {
    const more = plainJob(plainStep('a', 'x!'), plainStep('b', 'y!'), plainStep('c', 'z!'));
    const open = finished(started(more), more, { x: 'x.md' });
    const changed = stateAfter(open, decideStackChanged(open, change));
    expect(mustInformAgent(finished(changed, more, { y: 'y.md' }))).toBe(true);
    expect(finished(informed(changed), more, { y: 'y.md' }).steering).toBeNull();
  });
});

test('a second act is reported without the first if the agent already knows that one', () => {
  const told = stateAfter(
    sentBack(second),
    decideInformed(sentBack(second), { at: NOON, by: OWNER }),
  );
  const again = sentBack(finished(told, job, { x: 'x.md' }));
  const untold = sentBack(finished(sentBack(second), job, { x: 'x.md' }));
  expect(sentBack(told).steering).toMatchObject({ before: [], informed: null });
  expect(again.steering?.before).toEqual([]);
  expect(untold.steering?.before).toHaveLength(1);
});
