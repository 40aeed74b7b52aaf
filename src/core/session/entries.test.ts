// Sharp rules of loops and lists. The histories (test/histories) hold how all entries go together.

import { expect, test } from 'vitest';
import { codeOf, NOON, OWNER, stateAfter, viewOf } from '../../../test/simulation/by-hand.ts';
import { plainStep, toStep } from '../../../test/simulation/definitions.ts';
import { readAtOnce } from '../../../test/support/read-at-once.ts';
import { verifies } from '../../../test/verifies.ts';
import type { Entry, ForEachEntry, Step } from '../workflow.ts';
import { decideGoBack, decideStart, type WorkflowInUse } from './decide.ts';
import type { SessionDecision } from './events.ts';
import { type Facts, needOf } from './facts.ts';
import { pathItems, readItems } from './for-each.ts';
import { historyItems } from './history.ts';
import { decideRunEnded } from './nested-run.ts';
import { currentEntry, movementSince } from './positions.ts';
import { isOpenInPass } from './read-submission.ts';
import { jobStepGone } from './refusals.ts';
import type { Session } from './state.ts';
import { decideVerdict, type VerdictCommand } from './verdict.ts';
import { allOutputs } from './view.ts';

const step = (id: string, when: object | null = null): Step =>
  toStep({ ...plainStep(id, 'x!'), when: when as { var: string } | null });
const one = (id: string, when?: object): Entry => ({ kind: 'steps', steps: [step(id, when)] });
const each = (items: string, id: string, name = 'all'): ForEachEntry => ({
  ...{ kind: 'for_each', name, items: { step: items, output: 'x' }, step: step(id) },
  ...{ maxParallel: 4, maxItems: 1000 },
});
const loop = (...entries: Entry[]): Entry => ({
  ...{ kind: 'loop', name: 'round', entries, max: 3 },
  until: { kind: 'check', check: { name: 'tests', run: 'true', timeoutSeconds: 1 } },
});

function inUseOf(...entries: Entry[]): WorkflowInUse {
  const workflow = { name: 'flow', summary: 'Entries', entries };
  return { workflow, hash: 'one', stepGone: jobStepGone };
}

function start(inUse: WorkflowInUse): Session {
  const names = { jobName: 'job', jobDir: '/jobs/job', goal: 'goal', instanceId: null };
  const command = { at: NOON, id: '0000abcd', source: 'job', owner: OWNER, inUse } as const;
  const stack = { parentId: null, level: 1, context: {}, branch: { branch_name: 'b' } };
  return stateAfter(null, decideStart({ ...command, ...names, ...stack }));
}

const CALL = { outputs: { x: 'x.md' }, notes: null, stepId: null };

/** Everything that the call submits passes, unless `more` says otherwise. */
function decide(
  session: Session,
  inUse: WorkflowInUse,
  facts: Facts = {},
  more: Partial<VerdictCommand> = {},
): SessionDecision {
  const { call = CALL } = more;
  const read = readAtOnce(session, inUse, call);
  if (read.kind !== 'run') throw new Error(JSON.stringify(read));
  const accepted = read.submitted.map(({ step: { id }, outputs }) => ({
    step_id: id,
    outputs: Object.fromEntries(outputs) as Record<string, string>,
    shared_names: id.includes('#') ? ['x'] : [],
    files: {},
  }));
  const rest = { failed: [], evidence: [], voided: [], faults: [], warnings: [], context: {} };
  const { arrival } = read;
  const command = { at: NOON, by: OWNER, arrival, call, accepted, inUse, facts, ...rest };
  return decideVerdict(session, { ...command, ...more });
}

function after(...given: Parameters<typeof decide>): Session {
  return stateAfter(given[0], decide(...given));
}

const NOT_YET: Facts = { untils: { round: { kind: 'not_yet', said: '2 tests fail' } } };

test('each pass of a loop has its own progress, and the history has every pass', () => {
  verifies('LANG-3');
  const inUse = inUseOf(loop(one('a'), one('b')), one('c'));
  const last = after(start(inUse), inUse);
  const need = needOf(decide(last, inUse));
  expect(need).toMatchObject({ kind: 'until', loop: { name: 'round' }, pass: 1 });
  const second = after(last, inUse, NOT_YET);
  expect(allOutputs(second)).toEqual({});
  expect(viewOf(second).step_progress).toMatchObject({ a: { completed_at: null } });
  expect(historyItems(second.history).filter(({ event }) => event === 'accepted')).toMatchObject([
    { step_id: 'a', loop: 'round', pass: 1 },
    { step_id: 'b', loop: 'round', pass: 1 },
  ]);
  expect(isOpenInPass(second, { ...CALL, stepId: 'a' })).toBe(true);
});

test('five hundred items cost no more than ten each, and each leads to the next open one', () => {
  verifies('LANG-4');
  const inUse = inUseOf(one('a'), each('a', 'b'), one('c'));
  const items = { all: Array.from({ length: 500 }, (_, index) => index) };
  const listed = after(start(inUse), inUse, { items });
  const call = { ...CALL, stepId: 'b#3' };
  const failed = [
    { step_id: 'b#3', stage: 'rules', feedback: 'short', files: {}, details: [] } as const,
  ];
  const turnedDown = after(listed, inUse, {}, { call, accepted: [], failed });
  expect(movementSince(turnedDown, 2, ['b#3'])).toBe('stays');
  const accepted = after(turnedDown, inUse, {}, { call });
  expect(movementSince(accepted, 2, ['b#3'])).toBe('next_item');
  const shown = currentEntry(accepted, inUse.workflow)?.members.map(({ id }) => id);
  expect(shown).toEqual(['b#1', 'b#2', 'b#4', 'b#5']);
  expect(allOutputs(accepted)).toEqual({ x: 'x.md', 'b#3.x': 'x.md' });
  const event = decide(accepted, inUse, {}, { call: { ...CALL, outputs: { 'b#500.x': 'y.md' } } });
  expect(JSON.stringify(event).length).toBeLessThan(500);
});

test('items are strings, numbers or objects of a JSON array, and not too many', () => {
  verifies('LANG-4');
  const list = { ...each('a', 'b'), maxItems: 3 };
  const read = (text: string) => readItems(list, 'plan.json', text);
  expect(read('["a", 2, {"b": 3}]')).toEqual({ kind: 'items', items: ['a', 2, { b: 3 }] });
  const wrong = [
    read('{"a": 1}'),
    read('[null]'),
    read('x'),
    read('["\\u0000"]'),
    read('[1,2,3,4]'),
  ];
  for (const each of [...wrong, pathItems(list, ['1', '2', '3', '4'])]) {
    expect(each).toMatchObject({ kind: 'refused', refusal: { code: 'items_invalid' } });
  }
  expect(pathItems(list, ['-n']).kind).toBe('items');
});

test('an empty list is skipped with a warning that names it', () => {
  verifies('LANG-4');
  const inUse = inUseOf(one('a'), each('a', 'b'), one('c'));
  const decision = decide(start(inUse), inUse, { items: { all: [] } });
  const warnings = [expect.stringContaining('a.x')];
  expect(decision).toMatchObject({ event: { data: { position: { members: ['c'] }, warnings } } });
});

test('a list that this pass has not made, or that going back has cleared, is not taken', () => {
  verifies('LANG-3', 'LANG-4');
  const once = { not: { var: 'listed' } };
  const inUse = inUseOf(loop(one('a', once), each('a', 'b')));
  const items = { all: ['one'] };
  const listed = after(start(inUse), inUse, { items });
  const context = { listed: true };
  const facts = { ...NOT_YET, items };
  expect(codeOf(decide(listed, inUse, facts, { context }))).toBe('items_invalid');

  const two = inUseOf(one('a'), loop(each('a', 'd', 'first'), one('b', once), each('b', 'e')));
  const found = { items: { first: [], all: ['one'] } };
  const second = after(after(start(two), two, found), two, found);
  expect(second.position.members).toEqual(['e#1']);
  const later = { ...second, context };
  const back = { at: NOON, by: OWNER, stepId: 'round', inUse: two, facts: found };
  expect(codeOf(decideGoBack(later, back))).toBe('items_invalid');
});

test('the end of a nested run is recorded once, by the entry that waits for it', () => {
  verifies('LANG-6');
  const run = { kind: 'run', name: 'sub', job: 'other', workflow: 'w', inputs: [] } as const;
  const inUse = inUseOf(one('a'), loop(run));
  const facts = { ...NOT_YET, runs: { sub: '0000beef' } };
  const waiting = after(start(inUse), inUse, facts);
  const command = { at: NOON, by: OWNER, session: '0000beef', inUse, facts };
  const completed = { ...command, outcome: { kind: 'completed', outputs: {} } } as const;
  const aborted = { ...command, outcome: { kind: 'aborted', reason: 'no use' } } as const;
  expect(codeOf(decideRunEnded(waiting, { ...completed, session: '0000cafe' }))).toBe(
    '(unchanged)',
  );
  const stays = stateAfter(waiting, decideRunEnded(waiting, aborted));
  expect(stays.position).toMatchObject({ runAborted: 'no use', feedback: 'no use' });
  expect(codeOf(decideRunEnded(stays, aborted))).toBe('(unchanged)');
  const ended = stateAfter(waiting, decideRunEnded(waiting, completed));
  expect(ended.position.loops).toMatchObject([{ pass: 2 }]);
  const limit = { loop: 'round', pass: 1, said: '' };
  const limited = { ...waiting, position: { ...waiting.position, limit } };
  expect(codeOf(decideRunEnded(limited, completed))).toBe('(unchanged)');
});

test('going back to a loop asks no condition with a report that it clears', () => {
  verifies('LANG-1', 'LANG-3');
  const round = loop(each('a', 'b'), one('early', { var: 'seen' }), one('late'));
  const inUse = inUseOf(one('a'), round, one('c'));
  const none = { items: { all: [] } };
  const late = after(start(inUse), inUse, none);
  expect(late.position.members).toEqual(['late']);
  const reports = { seen: true };
  const accepted = [{ step_id: 'late', outputs: { x: 'x.md' }, files: {}, reports }];
  const facts: Facts = { untils: { round: { kind: 'done' } } };
  const done = after(late, inUse, facts, { accepted, context: reports });
  expect(done).toMatchObject({ context: reports, position: { members: ['c'] } });
  const back = { at: NOON, by: OWNER, stepId: 'round', inUse, facts: none };
  const anew = stateAfter(done, decideGoBack(done, back));
  expect(anew).toMatchObject({ position: { members: ['late'] } });
  expect(anew.context).not.toHaveProperty('seen');
});
