import { describe, expect, it } from 'vitest';
import {
  ABORT,
  aborted,
  failure,
  finished,
  goTo,
  heardOn,
  hearIn,
  judged,
  messageOf,
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
import { isCompleted, progressOf, progressOfAll } from './progress.ts';
import type { Call } from './repeats.ts';
import { currentStepId, type Session } from './state.ts';
import { allOutputs } from './view.ts';

const a = plainStep('a', 'x!');
const b = plainStep('b', 'y!');
const c = plainStep('c', 'z!');

describe('start', () => {
  it('skips entries that do not apply', () => {
    verifies('JOBS-X.14');
    const job = plainJob({ ...a, when: { var: 'deep' } }, b);
    expect(currentStepId(started(job))).toBe('b');
    expect(currentStepId(started(job, { deep: true }))).toBe('a');
  });

  it('skips members of an entry that do not apply', () => {
    verifies('JOBS-X.14');
    const job = plainJob([{ ...a, when: { var: 'deep' } }, b, c]);
    expect(started(job).position).toMatchObject({ members: ['b', 'c'], skipped: ['a'] });
  });

  it('is refused if nothing applies', () => {
    verifies('JOBS-X.14', 'JOBS-REQ-001.3.7');
    const never = { var: 'never' };
    const job = plainJob({ ...a, when: never }, [{ ...b, when: never }]);
    expect(messageOf(startDecision(job))).toBe("Workflow 'flow' has no steps");
  });

  it('sets reserved variables that a caller cannot override', () => {
    const job = plainJob({ ...a, when: { var: 'workflow_name', equals: 'flow' } });
    const session = started(job, { workflow_name: 'other', goal: 'other', kept: 1 });
    expect(session.context).toEqual({
      kept: 1,
      goal: 'the goal',
      job_name: 'job',
      workflow_name: 'flow',
      instance_id: null,
    });
  });
});

describe('moving on', () => {
  it('goes to the next entry, and completes after the last', () => {
    verifies('JOBS-REQ-001.4.16', 'JOBS-REQ-001.4.17');
    const job = plainJob(a, b);
    const second = finished(started(job), job, { x: 'x.md' });
    expect(currentStepId(second)).toBe('b');
    const done = finished(second, job, { y: 'y.md' });
    expect(done.status).toBe('completed');
    expect(allOutputs(done)).toEqual({ x: 'x.md', y: 'y.md' });
  });

  it('reads conditions with the context of the same call', () => {
    verifies('JOBS-X.14');
    const job = plainJob(a, { ...b, when: { var: 'deep' } }, c);
    const going = (deep: boolean) =>
      judged(started(job), job, said({ x: 'x' }), { context: { deep, goal: 'mine' } });
    expect(currentStepId(going(true))).toBe('b');
    expect(currentStepId(going(false))).toBe('c');
    expect(going(true).context).toMatchObject({ deep: true, goal: 'the goal' });
  });

  it('completes if no remaining entry applies', () => {
    verifies('JOBS-X.14');
    const job = plainJob(a, { ...b, when: { var: 'never' } });
    expect(finished(started(job), job, { x: 'x' }).status).toBe('completed');
  });

  it('ignores the context of a failed call', () => {
    const job = plainJob(a, b);
    const session = judged(started(job), job, said({ x: 'x' }), {
      accepted: [],
      failed: [failure('a')],
      context: { deep: true },
    });
    expect(session.context).not.toHaveProperty('deep');
    expect(session).toMatchObject({ position: { arrival: 1, feedback: 'a is bad' } });
  });

  it('counts only verdicts of a reviewer as attempts', () => {
    verifies('JOBS-REQ-001.4.10');
    const job = plainJob(a, b);
    let session = started(job);
    for (const stage of ['rules', 'checks', 'self_review', 'review'] as const) {
      const failed = [failure('a', stage)];
      session = judged(session, job, said({ x: 'x' }), { accepted: [], failed });
    }
    expect(progressOf(session, 'a')?.attempts).toBe(1);
  });
});

describe('concurrent entries', () => {
  const job = plainJob([a, b], c);

  it('wait for all members, however calls split them', () => {
    verifies('JOBS-X.13');
    const half = finished(started(job), job, { y: 'y' });
    expect(half.position.arrival).toBe(1);
    expect(half.position.feedback).toBe("'b' is accepted. Still to be submitted: a (outputs: x)");
    expect(currentStepId(finished(half, job, { x: 'x' }))).toBe('c');
    expect(currentStepId(finished(started(job), job, { x: 'x', y: 'y' }))).toBe('c');
  });

  it('keep the accepted member if the other fails', () => {
    verifies('JOBS-X.13');
    const session = onlyOnePasses(started(job), said({ x: 'x', y: 'y' }), 'a', 'b');
    expect([isCompleted(session, 'a'), isCompleted(session, 'b')]).toEqual([true, false]);
    expect(session.position.feedback).toBe('b is bad');
    expect(currentStepId(finished(session, job, { y: 'better' }))).toBe('c');
  });

  it('stay after a failed review, even if all members were complete before', () => {
    verifies('JOBS-X.13');
    const half = finished(started(job), job, { x: 'x' });
    const session = onlyOnePasses(half, said({ x: 'changed', y: 'y' }), 'b', 'a');
    expect(session.position.arrival).toBe(1);
    expect(session.position.feedback).toBe('a is bad');
    expect(currentStepId(finished(session, job, { x: 'x' }))).toBe('c');
  });

  function onlyOnePasses(session: Session, call: Call, passes: string, fails: string): Session {
    const { accepted } = heardOn(session, job, call);
    return judged(session, job, call, {
      accepted: accepted.filter((member) => member.step_id === passes),
      failed: [failure(fails)],
    });
  }

  it('accept new notes for a completed member', () => {
    verifies('JOBS-X.13');
    const half = finished(started(job), job, { x: 'x' }, { notes: 'old' });
    expect(finished(half, job, { x: 'x' }, { notes: 'new' }).position.progress[0]?.notes).toBe(
      'new',
    );
  });

  it('qualify shared names in the outputs', () => {
    verifies('JOBS-X.13');
    const shared = plainJob([plainStep('a', 'x!'), plainStep('b', 'x!', 'y')]);
    const done = finished(started(shared), shared, { 'a.x': '1', 'b.x': '2', y: '3' });
    expect(allOutputs(done)).toEqual({ 'a.x': '1', 'b.x': '2', y: '3' });
  });
});

describe('a session that has ended', () => {
  it('is neither aborted nor adopted', () => {
    const ended = aborted(started(plainJob(a)));
    const gone = "Session '0000abcd' not found in active stack";
    const abort = decideAbort(ended, { ...ABORT, explanation: 'again' });
    expect(messageOf(abort)).toBe(gone);
    expect(messageOf(decideAdopt(ended, { at: NOON, owner: OWNER, level: 1, stack: [] }))).toBe(
      gone,
    );
  });
});

describe('going back', () => {
  const job = plainJob(a, [b, c], plainStep('d', 'w!'));
  const atEnd = () => finished(finished(started(job), job, { x: 'x' }), job, { y: 'y', z: 'z' });

  it('clears the target and everything after it', () => {
    verifies('JOBS-X.21');
    const decision = goTo(atEnd(), job, 'c');
    expect(decision).toMatchObject({
      kind: 'commit',
      event: { data: { invalidated: ['b', 'c', 'd'], position: { members: ['b', 'c'] } } },
    });
    const session = stateAfter(atEnd(), decision);
    expect(allOutputs(session)).toEqual({ x: 'x' });
    expect(session).toMatchObject({ lastAccepted: null, position: { arrival: 4, entryIndex: 1 } });
  });

  it('can restart the current entry', () => {
    verifies('JOBS-X.21');
    expect(goTo(atEnd(), job, 'd')).toMatchObject({ event: { data: { invalidated: ['d'] } } });
  });

  it('ignores conditions', () => {
    verifies('JOBS-X.21', 'JOBS-X.14');
    const job = plainJob({ ...a, when: { var: 'never' } }, b);
    const session = stateAfter(started(job), goTo(started(job), job, 'a'));
    expect(currentStepId(session)).toBe('a');
  });

  it('is refused for later and unknown steps', () => {
    verifies('JOBS-X.21');
    const second = finished(started(job), job, { x: 'x' });
    expect(messageOf(goTo(second, job, 'd'))).toBe(
      "Cannot go forward to step 'd' (current step: 'b'). Use finished_step to advance forward.",
    );
    expect(messageOf(goTo(second, job, 'q'))).toBe(
      "Step 'q' not found in workflow 'flow'. Available steps: a, b, c, d",
    );
    expect(messageOf(goTo(aborted(second), job, 'a'))).toContain('not found in active stack');
  });

  it('clears the current step even if an edit removed it', () => {
    verifies('JOBS-X.21');
    const edited: PlainJob = { ...plainJob(a, plainStep('d', 'w!')), inUse: 'edition-2' };
    const second = finished(started(job), job, { x: 'x' });
    const decision = goTo(second, edited, 'a');
    expect(decision).toMatchObject({ event: { data: { invalidated: ['a', 'b', 'c'] } } });
    expect(progressOfAll(stateAfter(second, decision))).toMatchObject([{ stepId: 'a' }]);
  });
});

describe('edits during a run', () => {
  const wide = plainJob([a, b], c);

  it('let a session advance if the open member was removed', () => {
    verifies('JOBS-X.12');
    const half = finished(started(wide), wide, { x: 'x' });
    const narrow: PlainJob = { ...plainJob(a, c), inUse: 'edition-2' };
    expect(currentStepId(finished(half, narrow, { x: 'x' }))).toBe('c');
  });

  it('can add members, whose attempts count like those of others', () => {
    verifies('JOBS-X.13');
    const wider: PlainJob = {
      ...plainJob([a, b, plainStep('new', 'w!')], c),
      inUse: 'edition-2',
    };
    const half = finished(started(wide), wider, { x: 'x', y: 'y' });
    expect(half.position.feedback).toBe(
      "'a', 'b' are accepted. Still to be submitted: new (outputs: w)",
    );
    const failed = [failure('new')];
    const session = judged(half, wider, said({ w: 'w' }), { accepted: [], failed });
    expect(progressOf(session, 'new')?.attempts).toBe(1);
  });

  it('are reported if the current step is gone, and nothing is lost', () => {
    verifies('JOBS-X.12');
    const session = started(wide);
    const gone = plainJob(c);
    expect(messageOf(hearIn(session, gone, said({ z: 'z' })))).toBe('Current step not found: a');
    expect(hearIn(session, wide, said({ x: 'x' })).kind).toBe('run');
  });

  it('are recorded', () => {
    const edited: PlainJob = { ...wide, inUse: 'edition-2' };
    const session = finished(started(wide), edited, { x: 'x' });
    expect(historyItems(session.history)).toContainEqual(
      expect.objectContaining({ event: 'definition_changed', definition: 'edition-2' }),
    );
  });
});

describe('the actor', () => {
  it('is recorded as the owner only if it owns the session', () => {
    verifies('JOBS-X.19');
    const job = plainJob(a, b);
    const heir = { identity: 'agent-2', process: 'agent-2#1' };
    const session = started(job);
    const adopted = evolve(session, { type: 'adopted', at: NOON, data: { owner: heir, level: 1 } });
    const by = { identity: OWNER.identity, process: 'agent-1#2' };
    expect(judged(adopted, job, said({ x: 'x' }), { by }).owner).toEqual(heir);
    expect(judged(session, job, said({ x: 'x' }), { by }).owner).toEqual(by);
  });
});

it('from a step that an edit removed, one can go back but not ahead', () => {
  const before = plainJob(a, b, c);
  const second = finished(started(before), before, { x: 'x.md' });
  const edited = plainJob(a, plainStep('other', 'y!'), c);
  expect(goTo(second, edited, 'a').kind).toBe('commit');
  expect(messageOf(goTo(second, edited, 'c'))).toContain("'c'");
});

describe('a question to a person', () => {
  const job = plainJob(a, b);
  const session = started(job);
  const { arrival } = session.position;
  const command = { at: NOON, by: OWNER, arrival, name: 'a', question: 'q-1', feedback: 'Wait.' };

  it('is recorded once, however often the agent asks whether it is answered', () => {
    const asked = stateAfter(session, decideAsked(session, command));
    expect(decideAsked(asked, command)).toMatchObject({ kind: 'unchanged' });
    expect(decideAsked(asked, { ...command, question: 'q-2' }).kind).toBe('commit');
  });
});

it('nothing is recorded about a step of a session that was aborted there meanwhile', () => {
  const session = started(plainJob(a, b));
  const over = aborted(session);
  const { arrival } = session.position;
  const command = { at: NOON, by: OWNER, arrival, stepIds: ['a'] };
  const asked = { ...command, name: 'a', question: 'q-1', feedback: 'Wait.' };
  expect(decideChecks(over, 'checking', command)).toMatchObject({ kind: 'unchanged' });
  expect(messageOf(decideReview(over, { ...command, review: 'r' }))).toContain("'a'");
  expect(messageOf(decideAsked(over, asked))).toContain("'a'");
});
