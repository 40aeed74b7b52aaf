import { expect, test } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import type { SessionEvent } from '../core/session/events.ts';
import { emptyTeam } from '../core/team/evolve.ts';
import { agentNames } from './agent-names.ts';
import { describeRun } from './describe-run.ts';
import { type FoldedRun, foldRun } from './fold-run.ts';
import { RUN_STATES } from './run.ts';
import { movedAt, type RunContext, runStateOf } from './run-state.ts';

const AT = '2026-01-01T00:00:00.000Z';
const owner = { identity: 'agent', process: 'p1' };
const position = { entryIndex: 0, members: ['a', 'b'], skipped: [], arrival: 1 };

const STARTED: SessionEvent = {
  type: 'started',
  at: AT,
  data: {
    session_id: '00000001',
    source: 'job',
    job_name: 'j',
    job_dir: '/j',
    goal: 'g',
    workflow_name: 'w',
    instance_id: null,
    context: {},
    branch_name: '',
    level: 1,
    parent_session_id: null,
    owner,
    definition: 'd',
    position,
    skipped: [],
    entries: 2,
  },
};
const CHECKING: SessionEvent = {
  type: 'checking',
  at: AT,
  data: { arrival: 1, step_ids: ['a'] },
};
const LET_GO: SessionEvent = { type: 'let_go', at: AT, data: { nudges: 3 } };
const STOPPED: SessionEvent = {
  type: 'checks_stopped',
  at: AT,
  data: { arrival: 1, step_ids: ['a'] },
};

function judged(stepId: string): SessionEvent {
  const failed = [
    { step_id: stepId, stage: 'checks', feedback: 'no', files: {}, details: [] } as const,
  ];
  const sent = { outputs: {}, notes: null };
  return {
    type: 'judged',
    at: AT,
    data: { arrival: 1, accepted: [], failed, sent, feedback: 'no', position: null },
  };
}

function folded(...events: SessionEvent[]): FoldedRun {
  return [STARTED, ...events].reduce<FoldedRun | null>(foldRun, null) as FoldedRun;
}

const CALM: RunContext = {
  now: AT,
  names: agentNames(emptyTeam(), [], []),
  askedAt: null,
  movedAt: AT,
  livenessOf: () => 'alive',
  isOrphaned: false,
  questions: [],
  closed: null,
  stalledAfterMinutes: 30,
};
const LATER = { now: '2026-01-01T00:30:00.000Z' };

test('the first state that applies is shown, in the order of the contract', () => {
  verifies('BOARD-1');
  const everything = folded(CHECKING, LET_GO);
  const all = { ...CALM, ...LATER, isOrphaned: true, questions: ['q-1'] };
  const states = [
    runStateOf(everything, all),
    runStateOf(everything, { ...all, questions: [] }),
    runStateOf(everything, { ...all, questions: [], livenessOf: () => 'gone' }),
    runStateOf(everything, { ...all, questions: [], livenessOf: () => 'gone', isOrphaned: false }),
    runStateOf(folded(), CALM),
  ];
  expect(states).toEqual([...RUN_STATES]);
});

test('a run is stalled after the given silence, or as soon as its agent was let go', () => {
  verifies('BOARD-1');
  expect(runStateOf(folded(), { ...CALM, now: '2026-01-01T00:29:59.999Z' })).toBe('working');
  expect(runStateOf(folded(), { ...CALM, ...LATER })).toBe('stalled');
  expect(runStateOf(folded(), { ...CALM, ...LATER, stalledAfterMinutes: 31 })).toBe('working');
  expect(runStateOf(folded(LET_GO), CALM)).toBe('stalled');
});

test('an ended run has no state, whatever else applies', () => {
  verifies('BOARD-1');
  const ending = { nth: 1, resumes: null };
  const aborted: SessionEvent = { type: 'aborted', at: AT, data: { explanation: 'no', ending } };
  expect(runStateOf(folded(CHECKING, aborted), { ...CALM, questions: ['q-1'] })).toBeNull();
});

test('a gate runs from its beginning to its verdict, and no longer than its process', () => {
  verifies('BOARD-1');
  expect(runStateOf(folded(CHECKING), CALM)).toBe('gate_running');
  expect(runStateOf(folded(CHECKING), { ...CALM, livenessOf: () => 'gone' })).toBe('working');
  expect(runStateOf(folded(CHECKING), { ...CALM, livenessOf: () => 'unknown' })).toBe('working');
  expect(runStateOf(folded(CHECKING, judged('a')), CALM)).toBe('working');
  expect(runStateOf(folded(CHECKING, STOPPED), CALM)).toBe('working');
});

test('the verdict on one member leaves the gate of another running', () => {
  verifies('BOARD-1');
  const other: SessionEvent = {
    ...CHECKING,
    data: { arrival: 1, step_ids: ['b'] },
  } as SessionEvent;
  expect(runStateOf(folded(CHECKING, other, judged('a')), CALM)).toBe('gate_running');
  expect(runStateOf(folded(CHECKING, other, judged('a'), judged('b')), CALM)).toBe('working');
});

test('a run is not silent while a run nested in it moves, but the nested one may be', () => {
  verifies('BOARD-1');
  const session = (level: number, lastActivityAt: string) => ({
    ...folded().session,
    level,
    lastActivityAt,
  });
  const [bottom, middle, top] = [session(1, '1'), session(2, '3'), session(3, '2')];
  const stack = [bottom, middle, top];
  expect(stack.map((each) => movedAt(each, stack, new Map()))).toEqual(['3', '3', '2']);
});

test('what a person does does not count as activity of the agent', () => {
  verifies('BOARD-1');
  const later = '2026-01-01T00:10:00.000Z';
  const steered: SessionEvent = {
    type: 'stack_changed',
    at: later,
    data: { ended: '00000002', person: 'Ada', reason: 'no' },
  };
  const described = describeRun(folded(steered), CALM);
  expect(described).toMatchObject({ last_activity_at: later, agent_seen_at: AT });
  const informed: SessionEvent = { type: 'informed', at: later, data: {} };
  expect(describeRun(folded(steered, informed), CALM).agent_seen_at).toBeUndefined();
});

test('a run says whether it waits at an approval or for a nested run', () => {
  verifies('BOARD-2');
  const waitsAt = (at?: object) => {
    const data = { ...STARTED.data, position: { ...position, members: [], ...(at && { at }) } };
    const run = foldRun(null, { ...STARTED, data } as SessionEvent) as FoldedRun;
    return describeRun(run, CALM).waits_at;
  };
  expect(waitsAt({ kind: 'approve', name: 'go' })).toBe('approve');
  expect(waitsAt({ kind: 'run', name: 'sub', session: '00000002' })).toBe('run');
  expect(waitsAt()).toBeUndefined();
});
