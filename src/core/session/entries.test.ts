import { expect, it } from 'vitest';
import { NOON, OWNER, viewOf } from '../../../test/simulation/by-hand.ts';
import { plainStep } from '../../../test/simulation/definitions.ts';
import {
  type PlainEntry,
  toEntriesWorkflow,
} from '../../../test/simulation/entries/plain-entries.ts';
import { readAtOnce } from '../../../test/support/read-at-once.ts';
import { verifies } from '../../../test/verifies.ts';
import type { ForEachEntry } from '../workflow.ts';
import { decideGoBack, decideStart } from './decide.ts';
import type { SessionDecision } from './events.ts';
import { evolve } from './evolve.ts';
import { type Facts, needOf } from './facts.ts';
import { pathItems, readItems } from './for-each.ts';
import { historyItems } from './history.ts';
import { decideLoopAnswer } from './loop-answer.ts';
import { currentEntry, movementSince } from './positions.ts';
import { isOpenInPass } from './read-submission.ts';
import { jobStepGone, rejectedHere } from './refusals.ts';
import type { Call } from './repeats.ts';
import type { Session } from './state.ts';
import { shownOutputs } from './submission.ts';
import { decideVerdict } from './verdict.ts';
import { allOutputs } from './view.ts';

const [a, b, c] = [plainStep('a', 'x!'), plainStep('b', 'x!'), plainStep('c', 'x!')];
const one = (step: typeof a): PlainEntry => ({ kind: 'steps', steps: [step] });
const loop = (max: number, ...entries: PlainEntry[]): PlainEntry => {
  return { kind: 'loop', name: 'round', entries, until: { kind: 'check' }, max };
};

function inUseOf(entries: readonly PlainEntry[]) {
  return { workflow: toEntriesWorkflow(entries), hash: 'one', stepGone: jobStepGone };
}
type InUse = ReturnType<typeof inUseOf>;

function after(session: Session | null, decision: SessionDecision): Session {
  if (decision.kind !== 'commit') throw new Error(JSON.stringify(decision));
  return evolve(session, decision.event);
}

function start(inUse: InUse): Session {
  const names = { jobName: 'job', jobDir: '/jobs/job', goal: 'goal', instanceId: null };
  const command = { at: NOON, id: '0000abcd', source: 'job', owner: OWNER, inUse } as const;
  const stack = { parentId: null, level: 1, context: {}, branch: { branch_name: 'b' } };
  return after(null, decideStart({ ...command, ...names, ...stack }));
}

const CALL: Call = { outputs: { x: 'x.md' }, notes: null, stepId: null };

function decide(session: Session, inUse: InUse, facts: Facts = {}, call = CALL): SessionDecision {
  const read = readAtOnce(session, inUse, call);
  if (read.kind !== 'run') throw new Error(JSON.stringify(read));
  const shared = shownOutputs(read.members).filter((each) => each.shared);
  const accepted = read.submitted.map(({ step, outputs }) => ({
    step_id: step.id,
    outputs: Object.fromEntries(outputs) as Record<string, string>,
    shared_names: shared.filter((each) => each.step === step).map(({ output }) => output.name),
    files: {},
  }));
  return decideVerdict(session, {
    at: NOON,
    by: OWNER,
    arrival: read.arrival,
    call,
    context: {},
    accepted,
    inUse,
    facts,
    failed: [],
    evidence: [],
    voided: [],
    faults: [],
    warnings: [],
  });
}

const NOT_YET = { untils: { round: { kind: 'not_yet', said: '2 tests fail' } } } as const;

it('each pass of a loop has its own progress, and the history has every pass', () => {
  verifies('LANG-3');
  const inUse = inUseOf([loop(3, one(a), one(b)), one(c)]);
  const last = after(start(inUse), decide(start(inUse), inUse));
  expect(needOf(decide(last, inUse))).toMatchObject({
    kind: 'until',
    loop: { name: 'round' },
    pass: 1,
  });
  const second = after(last, decide(last, inUse, NOT_YET));
  expect(second.position).toMatchObject({
    members: ['a'],
    loops: [{ name: 'round', pass: 2, said: '2 tests fail' }],
  });
  expect(allOutputs(second)).toEqual({});
  expect(viewOf(second).step_progress).toMatchObject({ a: { completed_at: null } });
  const items = historyItems(second.history).filter(({ event }) => event === 'accepted');
  expect(items).toMatchObject([
    { step_id: 'a', loop: 'round', pass: 1 },
    { step_id: 'b', loop: 'round', pass: 1 },
  ]);
  expect(isOpenInPass(second, { ...CALL, stepId: 'a' })).toBe(true);
});

it('an until without an outcome commits nothing', () => {
  verifies('LANG-3');
  const inUse = inUseOf([loop(1, one(a))]);
  const facts: Facts = { untils: { round: { kind: 'cannot_tell', why: 'exit code 127' } } };
  expect(decide(start(inUse), inUse, facts)).toMatchObject({
    kind: 'refused',
    refusal: { message: "Loop 'round': cannot tell whether it is done: exit code 127" },
  });
});

it('after the last pass a person decides, and an agent waits', () => {
  verifies('LANG-3');
  const inUse = inUseOf([loop(1, one(a)), one(c)]);
  const limit = after(start(inUse), decide(start(inUse), inUse, NOT_YET));
  expect(limit.position).toMatchObject({
    limit: { loop: 'round', pass: 1 },
    reason: 'waiting_for_person',
  });
  expect(readAtOnce(limit, inUse, CALL)).toMatchObject({
    kind: 'waits',
    for: { kind: 'loop' },
  });
  const answer = { question: 'q-1', by: 'Ada', route: 'terminal' };
  const command = { at: NOON, by: OWNER, arrival: 1, call: CALL, answer, inUse, words: 'Think' };
  const more = after(limit, decideLoopAnswer(limit, { ...command, choice: 'one_more' }));
  expect(more.position).toMatchObject({ feedback: 'Think', loops: [{ pass: 2, said: 'Think' }] });
  const on = after(limit, decideLoopAnswer(limit, { ...command, choice: 'go_on' }));
  expect(on.position).toMatchObject({ members: ['c'], feedback: 'Think' });
  const over = after(limit, decideLoopAnswer(limit, { ...command, choice: 'abort' }));
  expect(over).toMatchObject({ status: 'aborted', abortedBy: 'Ada', abortReason: 'Think' });
});

it('going back stays in the running pass, and begins at 1 from outside or by name', () => {
  verifies('LANG-3');
  const inUse = inUseOf([loop(3, one(a), one(b)), one(c)]);
  let session = after(start(inUse), decide(start(inUse), inUse));
  session = after(session, decide(session, inUse, NOT_YET));
  session = after(session, decide(session, inUse));
  const back = (from: Session, stepId: string) =>
    after(from, decideGoBack(from, { at: NOON, by: OWNER, stepId, inUse })).position;
  expect(back(session, 'a')).toMatchObject({ members: ['a'], loops: [{ pass: 2 }] });
  expect(back(session, 'round')).toMatchObject({ members: ['a'], loops: [{ pass: 1 }] });
  const outside = after(session, decide(session, inUse, { untils: { round: { kind: 'done' } } }));
  expect(back(outside, 'b')).toMatchObject({ members: ['b'], loops: [{ pass: 1 }] });
});

it('five hundred items cost no more than ten each, and each leads to the next open one', () => {
  verifies('LANG-4');
  const each: PlainEntry = { kind: 'for_each', name: 'all', items: 'a', step: b, parallel: 4 };
  const inUse = inUseOf([one(a), each, one(c)]);
  const items = Array.from({ length: 500 }, (_, index) => index);
  let session = after(start(inUse), decide(start(inUse), inUse, { items: { all: items } }));
  expect(session.position.members).toHaveLength(500);
  const third = { ...CALL, stepId: 'b#3' };
  session = after(session, decide(session, inUse, {}, third));
  expect(movementSince(session, 2, ['b#3'])).toBe('next_item');
  expect(currentEntry(session, inUse.workflow)?.members.map(({ id }) => id)).toEqual([
    'b#1',
    'b#2',
    'b#4',
    'b#5',
  ]);
  expect(allOutputs(session)).toEqual({ x: 'x.md', 'b#3.x': 'x.md' });
  const event = decide(session, inUse, {}, { ...CALL, outputs: { 'b#500.x': 'y.md' } });
  expect(JSON.stringify(event).length).toBeLessThan(500);
  expect(viewOf(session).current_step_id).toBe('all');
});

it('an empty list is skipped with a warning, and a missing list is refused', () => {
  verifies('LANG-4');
  const each: PlainEntry = { kind: 'for_each', name: 'all', items: 'a', step: b, parallel: 4 };
  const inUse = inUseOf([one(a), each, one(c)]);
  const decision = decide(start(inUse), inUse, { items: { all: [] } });
  expect(decision).toMatchObject({
    event: {
      data: { position: { members: ['c'] }, warnings: ["'all' was skipped: a.x lists no items."] },
    },
  });
  const entry = inUse.workflow.entries[1] as ForEachEntry;
  expect(readItems(entry, 'plan.json', '{"a": 1}')).toMatchObject({
    refusal: { message: "for_each 'all': plan.json must be a JSON array, got dict" },
  });
  expect(readItems(entry, 'plan.json', '["a", 2, {"b": 3}]')).toEqual({
    kind: 'items',
    items: ['a', 2, { b: 3 }],
  });
  expect(readItems(entry, 'plan.json', '[null]').kind).toBe('refused');
  expect(pathItems(entry, Array.from({ length: 101 }, String)).kind).toBe('refused');
});

it('the feedback of a rejection is the text of the person', () => {
  verifies('LANG-5');
  expect(rejectedHere('go_ahead', 'too long').message).toBe('Rejected: too long');
});

const NOTHING = { accepted: [], failed: [], evidence: [], voided: [], faults: [], warnings: [] };

it('an item that failed before leads to the next open one when it is accepted', () => {
  verifies('LANG-4');
  const each: PlainEntry = { kind: 'for_each', name: 'all', items: 'a', step: b, parallel: 4 };
  const inUse = inUseOf([one(a), each]);
  const items = { all: ['one', 'two'] };
  const first = after(start(inUse), decide(start(inUse), inUse, { items }));
  const call = { ...CALL, stepId: 'b#1' };
  const command = { at: NOON, by: OWNER, arrival: 2, call, context: {}, inUse };
  const failed = [
    { step_id: 'b#1', stage: 'rules', feedback: 'too short', files: {}, details: [] } as const,
  ];
  const turnedDown = after(first, decideVerdict(first, { ...command, ...NOTHING, failed }));
  expect(movementSince(turnedDown, 2, ['b#1'])).toBe('stays');
  const accepted = after(turnedDown, decide(turnedDown, inUse, {}, call));
  expect(movementSince(accepted, 2, ['b#1'])).toBe('next_item');
});

it('a list that the current pass has not produced yet is not taken from the pass before', () => {
  verifies('LANG-3');
  const once = { ...a, when: { not: { var: 'listed' } } };
  const each: PlainEntry = { kind: 'for_each', name: 'all', items: 'a', step: b, parallel: 4 };
  const inUse = inUseOf([loop(3, one(once), each)]);
  const items = { all: ['one'] };
  const listed = after(start(inUse), decide(start(inUse), inUse, { items }));
  const accepted = [{ step_id: 'b#1', outputs: { x: 'x.md' }, files: {} }];
  const command = { at: NOON, by: OWNER, arrival: 2, call: { ...CALL, stepId: 'b#1' }, inUse };
  const facts = { ...NOT_YET, items };
  const context = { listed: true };
  expect(decideVerdict(listed, { ...command, ...NOTHING, accepted, context, facts })).toMatchObject(
    { kind: 'refused', refusal: { message: /a\.x was not submitted$/ } },
  );
});

it('a list that going back has cleared is not taken either', () => {
  verifies('LANG-3', 'LANG-4');
  const once = { ...b, when: { not: { var: 'listed' } } };
  const each = (name: string, items: string, id: string): PlainEntry => {
    return { kind: 'for_each', name, items, step: plainStep(id, 'x!'), parallel: 4 };
  };
  const inUse = inUseOf([
    one(a),
    loop(3, each('first', 'a', 'd'), one(once), each('all', 'b', 'e')),
  ]);
  const NONE = { items: { first: [], all: ['one'] } };
  let session = after(start(inUse), decide(start(inUse), inUse, NONE));
  session = after(session, decide(session, inUse, NONE));
  expect(session.position.members).toEqual(['e#1']);
  // The pass begins anew, and in it nothing makes the list.
  const later = { ...session, context: { listed: true } };
  const command = { at: NOON, by: OWNER, stepId: 'round', inUse, facts: NONE };
  expect(decideGoBack(later, command)).toMatchObject({
    kind: 'refused',
    refusal: { message: /b\.x was not handed in$/ },
  });
});

it('going back to a loop asks no condition with a report that it clears', () => {
  verifies('LANG-1', 'LANG-3');
  const each: PlainEntry = { kind: 'for_each', name: 'all', items: 'a', step: b, parallel: 4 };
  const [early, late] = [plainStep('early', 'x!'), plainStep('late', 'x!')];
  const inUse = inUseOf([
    one(a),
    loop(3, each, one({ ...early, when: { var: 'seen' } }), one(late)),
    one(c),
  ]);
  const NONE = { items: { all: [] } };
  let session = after(start(inUse), decide(start(inUse), inUse, NONE));
  expect(session.position.members).toEqual(['late']);
  const reports = { seen: true };
  const accepted = [{ step_id: 'late', outputs: { x: 'x.md' }, files: {}, reports }];
  const facts: Facts = { untils: { round: { kind: 'done' } } };
  const command = { at: NOON, by: OWNER, arrival: 2, call: CALL, inUse };
  session = after(
    session,
    decideVerdict(session, { ...command, ...NOTHING, accepted, context: reports, facts }),
  );
  const back = decideGoBack(session, { at: NOON, by: OWNER, stepId: 'round', inUse, facts: NONE });
  expect(after(session, back)).toMatchObject({ context: {}, position: { members: ['late'] } });
});
