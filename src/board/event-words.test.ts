import { expect, test } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import type { Judged, SessionEvent } from '../core/session/events.ts';
import { emptyTeam } from '../core/team/evolve.ts';
import { agentNames } from './agent-names.ts';
import { eventInWords } from './event-words.ts';
import { type FoldedRun, foldRun } from './fold-run.ts';

const AT = '2026-01-01T00:00:00.000Z';
const owner = { identity: 'i', agent: 'writer|opus', process: 'p' };

const STARTED: SessionEvent = {
  type: 'started',
  at: AT,
  data: {
    session_id: '00000001',
    source: 'job',
    job_name: 'j',
    job_dir: '/j',
    goal: 'Two\nlines',
    workflow_name: 'w',
    instance_id: null,
    context: {},
    branch_name: '',
    level: 1,
    parent_session_id: '00000009',
    owner,
    definition: 'd',
    skipped: ['x'],
    entries: 2,
    position: { entryIndex: 0, members: ['a'], skipped: [], arrival: 1 },
  },
};

const ALONE = agentNames(emptyTeam(), [], []);

/** The words of the last of these events. */
function wordsOf(...events: SessionEvent[]) {
  const all = [STARTED, ...events];
  const before = all.slice(0, -1).reduce<FoldedRun | null>(foldRun, null);
  const last = all.at(-1) as SessionEvent;
  return eventInWords(before?.session ?? null, last, foldRun(before, last).session, ALONE);
}

function judged(data: Partial<Judged['data']>): SessionEvent {
  const sent = { outputs: {}, notes: null };
  return {
    type: 'judged',
    at: AT,
    data: { arrival: 1, accepted: [], position: null, sent, ...data },
  };
}

const FILES = { 'o.md': '0123456789abcdef' };

test('the start names the goal, what it is nested in and what was skipped', () => {
  verifies('BOARD-2');
  const { text, by, step_id, seq } = wordsOf();
  expect({ by, step_id, seq }).toEqual({ by: 'writer|opus', step_id: 'a', seq: 1 });
  expect(text.split('\n')).toEqual([
    "Started at 'a', nested in 00000009",
    'Goal: Two lines',
    "Skipped, because the condition does not hold: 'x'",
  ]);
});

test('the next pass of a loop is distinguished from the step that was just accepted', () => {
  verifies('BOARD-2');
  const at = { entryIndex: 0, members: ['a'], skipped: [], arrival: 2 };
  const { text } = wordsOf(
    judged({
      accepted: [{ step_id: 'a', outputs: {}, files: FILES }],
      position: { ...at, loops: [{ name: 'polish', pass: 2, said: 'not yet' }] },
    }),
  );
  expect(text).toMatch(/^'a' accepted; on to 'a', pass 2\n/);
});

test('a refusal says which check failed and what it said, of which bytes', () => {
  verifies('BOARD-2');
  const evidence = { key: 'k', step_id: 'a', kind: 'check', name: 'lint' } as const;
  const failed = { step_id: 'a', feedback: 'lint: no', files: FILES, details: [] };
  const { text } = wordsOf(
    judged({
      failed: [{ ...failed, stage: 'checks' }],
      evidence: [
        { ...evidence, passed: false, said: 'exit 1\n  bad', files: {}, milliseconds: 1200 },
      ],
    }),
  );
  expect(text.split('\n')).toEqual([
    "'a' turned down by a check",
    "Check 'lint' failed (1.2 s): exit 1",
    '  bad',
    'Files: o.md (sha256 01234567…)',
  ]);
});

test('a pass that does not end its loop shows once what the command said, its last lines', () => {
  verifies('BOARD-2');
  const printed = Array.from({ length: 40 }, (_, at) => `line ${at + 1}`);
  const at = { entryIndex: 0, members: ['a'], skipped: [], arrival: 2 };
  const { text } = wordsOf(
    judged({
      accepted: [{ step_id: 'a', outputs: {}, files: FILES }],
      position: { ...at, loops: [{ name: 'green', pass: 2, said: '' }] },
      untils: [{ loop: 'green', pass: 1, done: false, said: printed.join('\n') }],
      evidence: [
        {
          key: 'k',
          step_id: 'green',
          kind: 'check',
          name: 'tests',
          passed: false,
          said: ['exit code 1', ...printed].join('\n'),
          files: {},
          milliseconds: 1200,
        },
      ],
    }),
  );
  expect(text.split('\n')).toEqual([
    "'a' accepted; on to 'a', pass 2",
    'Files: o.md (sha256 01234567…)',
    "Loop 'green' is not done after pass 1",
    "Check 'tests' failed (1.2 s): exit code 1",
    '…',
    ...printed.slice(-10),
  ]);
});

test('an override names its reason and who granted it, the verdict of an own review what it said', () => {
  verifies('BOARD-2');
  const member = { step_id: 'a', outputs: {}, files: {} };
  const grant = { question: 'q-1', by: 'ann', route: 'cli' };
  const done = { completed: true as const };
  const skipped = { ...member, override_reason: 'Only a draft', override_grant: grant };
  expect(wordsOf(judged({ accepted: [skipped], ...done })).text).toBe(
    "'a' accepted; the workflow is complete\nReviews of 'a' were skipped, granted by ann (q-1, cli): Only a draft",
  );
  const asked = {
    step_id: 'a',
    stage: 'self_review',
    feedback: 'Review it',
    files: {},
    details: [],
  };
  const request = judged({ failed: [asked as never], feedback: 'Review it' });
  expect(wordsOf(request).text).toContain("'a' handed in; the agent is to have it reviewed");
  const reviewed = { ...member, self_review: 'PASSED' };
  expect(wordsOf(request, judged({ accepted: [reviewed], ...done })).text).toContain(
    'The agent reviewed its own work: PASSED',
  );
});

test('reminders, letting go, going back and aborting are put in plain words', () => {
  verifies('BOARD-2');
  expect(wordsOf({ type: 'nudged', at: AT, data: { nth: 2 } })).toMatchObject({
    by: null,
    text: 'The agent wanted to stop and was sent back (reminder 2)',
  });
  expect(wordsOf({ type: 'let_go', at: AT, data: { nudges: 1 } }).text).toBe(
    'Let go after 1 reminder, with the step still open',
  );
  const ending = { nth: 1, resumes: null };
  const aborted: SessionEvent = { type: 'aborted', at: AT, data: { explanation: 'no', ending } };
  expect(wordsOf(aborted).text).toBe('Aborted: no');
  const by = { identity: 'j', agent: 'reader', process: 'p2' };
  expect(wordsOf({ type: 'adopted', at: AT, data: { owner: by, level: 1 } })).toMatchObject({
    by: 'reader',
    text: 'Taken over by reader',
  });
});

test('a step that is to be done again is no way back to itself', () => {
  verifies('BOARD-2');
  const position = { entryIndex: 0, members: ['a'], skipped: [], arrival: 2 };
  const data = { definition: 'd', from: 'a', to: 'a', position, invalidated: ['a'] };
  expect(wordsOf({ type: 'went_back', at: AT, data }).text).toBe("Began 'a' again");
  const by = { person: 'Ada', reason: 'too short' };
  expect(wordsOf({ type: 'went_back', at: AT, data: { ...data, ...by } }).text).toBe(
    "Ada told the agent to do 'a' again\nReason: too short",
  );
  const more = { ...data, ...by, from: 'b', invalidated: ['a', 'b'] };
  expect(wordsOf({ type: 'went_back', at: AT, data: more }).text).toBe(
    "Ada sent it back from 'b' to 'a'; to be done again: a, b\nReason: too short",
  );
});

test('what a person aborted is said in the same words', () => {
  verifies('BOARD-2');
  const ending = { nth: 1, resumes: null };
  const data = { explanation: 'no', person: 'Ada', ending };
  expect(wordsOf({ type: 'aborted', at: AT, data }).text).toBe('Ada aborted it: no');
  const stack = { ended: '00000002', person: 'Ada', reason: 'no' };
  expect(wordsOf({ type: 'stack_changed', at: AT, data: stack }).text).toBe(
    'Ada aborted run 00000002 of the same stack: no',
  );
});
