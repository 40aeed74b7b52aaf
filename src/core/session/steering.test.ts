// What a person does to a run, and how its agent is told.

import { describe, expect, test } from 'vitest';
import {
  ABORT,
  codeOf,
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

const job = plainJob(plainStep('a', 'x!'), plainStep('b', 'y!'), plainStep('c', 'z!'));
const inUse = { workflow: toWorkflow(job), hash: job.inUse, stepGone: jobStepGone };
const second = finished(started(job), job, { x: 'x.md' });
const person = { person: 'Ada' };
const REASON = 'the plan is wrong';

function sentBack(session: Session): Session {
  const command = { at: NOON, by: person, reason: REASON, stepId: 'a', inUse };
  return stateAfter(session, decideGoBack(session, command));
}

function informed(session: Session): Session {
  return stateAfter(session, decideInformed(session, { at: NOON, by: OWNER }));
}

describe('a run that a person sent back', () => {
  const back = sentBack(second);

  test('names the person and the reason, and is no move of its agent whose answer was lost', () => {
    const item = { event: 'went_back', step_id: 'a', person: 'Ada', reason: REASON };
    expect(historyItems(back.history).at(-1)).toMatchObject(item);
    expect(back.position.feedback).toMatch(/Ada.*the plan is wrong/);
    expect([back.owner, back.lastMove]).toEqual([second.owner, null]);
    expect(stateAfter(second, goTo(second, job, 'a')).lastMove?.kind).toBe('went_back');
  });

  test('informs its agent once', () => {
    expect(mustInformAgent(back)).toBe(true);
    const told = informed(back);
    expect(mustInformAgent(told)).toBe(false);
    expect(told.steering?.informed).toEqual({ seq: back.seq + 1, process: OWNER.process });
    expect(codeOf(decideInformed(told, { at: NOON, by: OWNER }))).toBe('(unchanged)');
    expect(finished(told, job, { x: 'x2.md' }).steering).toBeNull();
  });

  test('is opened again if it was complete, which its agent cannot do', () => {
    const last = finished(second, job, { y: 'y.md' });
    const complete = finished(last, job, { z: 'z.md' });
    expect(complete.status).toBe('completed');
    expect(goTo(complete, job, 'a').kind).toBe('refused');
    expect(sentBack(complete).status).toBe('active');
  });

  test('refuses a submission that was being judged, and names the person', () => {
    const late = heardOn(second, job, said({ y: 'y.md' }));
    const refusal = { code: 'step_not_current', next: expect.stringContaining('Ada') };
    expect(decideVerdict(back, late)).toMatchObject({ kind: 'refused', refusal });
  });
});

test('a run that a person aborted names the person, and nothing more happens to it', () => {
  const ended = stateAfter(second, decideAbort(second, { ...ABORT, by: person }));
  expect(viewOf(ended)).toMatchObject({ abort_reason: 'no use', aborted_by: 'Ada' });
  expect(historyItems(ended.history).at(-1)).toMatchObject({ event: 'aborted', person: 'Ada' });
  const own = stateAfter(second, decideAbort(second, ABORT));
  expect(viewOf(own)).not.toHaveProperty('aborted_by');
  const more = [
    decideGoBack(ended, { at: NOON, by: person, stepId: 'a', inUse }),
    decideInformed(ended, { at: NOON, by: OWNER }),
    decideAbort(ended, { ...ABORT, by: person }),
  ];
  expect(more.map(codeOf)).toEqual(more.map(() => 'session_not_found'));
});

test('only a person opens a completed run again', () => {
  const done = finished(finished(second, job, { y: 'y' }), job, { z: 'z' });
  expect(codeOf(goTo(done, job, 'a'))).toBe('session_not_found');
  expect(sentBack(done)).toMatchObject({ status: 'active', level: 0, endedAt: null });
});

test('a run whose stack a person changed tells its agent, even if another call advances it', () => {
  const change = { at: NOON, ended: '0000beef', person: 'Ada', reason: 'not needed' };
  const below = stateAfter(second, decideStackChanged(second, change));
  const refusal = below.steering && steeredByPerson(below, below.steering);
  expect(refusal?.code).toBe('steered_by_person');
  expect(refusal?.message).toMatch(/Ada.*0000beef.*not needed/);
  expect(refusal?.next).toContain("'b'");
  expect(mustInformAgent(finished(below, job, { y: 'y.md' }))).toBe(true);
  expect(finished(informed(below), job, { y: 'y.md' }).steering).toBeNull();
});

test('a second act is reported without the first if the agent already knows that one', () => {
  const told = informed(sentBack(second));
  const again = sentBack(finished(told, job, { x: 'x.md' }));
  const untold = sentBack(finished(sentBack(second), job, { x: 'x.md' }));
  expect(sentBack(told).steering).toMatchObject({ before: [], informed: null });
  expect(again.steering?.before).toEqual([]);
  expect(untold.steering?.before).toHaveLength(1);
});
