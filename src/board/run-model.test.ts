// What the board says of a run, folded from its events alone: its state, its steps, who asks, and
// each event for people.

import { expect, test } from 'vitest';
import { foldTeam } from '../../test/support/fold-team.ts';
import { verifies } from '../../test/verifies.ts';
import type { SessionEvent, Started } from '../core/session/events.ts';
import { evolve } from '../core/session/evolve.ts';
import type { EntryAt, Session } from '../core/session/state.ts';
import { emptyTeam } from '../core/team/evolve.ts';
import { decideAsk } from '../core/team/questions.ts';
import type { ArrivalId, TeamEvent } from '../core/team/state.ts';
import { agentNames } from './agent-names.ts';
import { describeRun } from './describe-run.ts';
import { REFUSED_IN_TURN } from './describe-unattended.ts';
import { eventInWords } from './event-words.ts';
import { type FoldedRun, foldRun } from './fold-run.ts';
import { openQuestions } from './open-questions.ts';
import { RUN_STATES, type RunQuestion, type ShownEvent } from './run.ts';
import { questionsOf } from './run-questions.ts';
import { movedAt, type RunContext, runStateOf } from './run-state.ts';
import { statesAlong } from './run-workflow.ts';
import { timelineOf } from './timeline.ts';

const AT = '2026-01-01T00:00:00.000Z';
const POSITION = { entryIndex: 0, members: ['a', 'b'], skipped: [], arrival: 1 };

function started(data: Partial<Started['data']> = {}): SessionEvent {
  return {
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
      owner: { identity: 'i', agent: 'writer|opus', process: 'p1' },
      definition: 'd',
      position: POSITION,
      skipped: [],
      entries: 2,
      ...data,
    },
  };
}

function refused(step_id: string): SessionEvent {
  const failed = { step_id, stage: 'checks', feedback: 'no', files: {}, details: [] } as const;
  const sent = { outputs: {}, notes: null };
  const data = { arrival: 1, accepted: [], position: null, sent };
  return { type: 'judged', at: AT, data: { ...data, failed: [failed], feedback: 'no' } };
}

const ABORTED: SessionEvent = {
  type: 'aborted',
  at: AT,
  data: { explanation: 'no', ending: { nth: 1, resumes: null } },
};

const checking = (step: string): SessionEvent => ({
  type: 'checking',
  at: AT,
  data: { arrival: 1, step_ids: [step] },
});
const STOPPED: SessionEvent = {
  type: 'checks_stopped',
  at: AT,
  data: { arrival: 1, step_ids: ['a'] },
};
const LET_GO: SessionEvent = { type: 'let_go', at: AT, data: { nudges: 3 } };

function folded(...events: SessionEvent[]): FoldedRun {
  return [started(), ...events].reduce<FoldedRun | null>(foldRun, null) as FoldedRun;
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
const GONE = { livenessOf: () => 'gone' as const };

test('the first state that applies is shown, in the order of the contract', () => {
  verifies('BOARD-1');
  const everything = folded(checking('a'), LET_GO);
  const all = { ...CALM, ...LATER, isOrphaned: true };
  const states = [
    runStateOf(everything, { ...all, questions: ['q-1'] }),
    runStateOf(everything, all),
    runStateOf(everything, { ...all, ...GONE }),
    runStateOf(everything, { ...all, ...GONE, isOrphaned: false }),
    runStateOf(folded(), CALM),
  ];
  expect(states).toEqual([...RUN_STATES]);
  expect(runStateOf(folded(ABORTED), { ...CALM, questions: ['q-1'] })).toBeNull();
});

test.each<[string, SessionEvent[], Partial<RunContext>, string]>([
  ['a moment before', [], { now: '2026-01-01T00:29:59.999Z' }, 'working'],
  ['after the given silence', [], LATER, 'stalled'],
  ['after less than the setting', [], { ...LATER, stalledAfterMinutes: 31 }, 'working'],
  ['once its agent was let go', [LET_GO], {}, 'stalled'],
  ['from the beginning of a gate', [checking('a')], {}, 'gate_running'],
  ['without the process of the gate', [checking('a')], GONE, 'working'],
  ['with an unknown one', [checking('a')], { livenessOf: () => 'unknown' }, 'working'],
  ['after its verdict', [checking('a'), refused('a')], {}, 'working'],
  ['after it was stopped', [checking('a'), STOPPED], {}, 'working'],
  ['with the gate of another', [checking('a'), checking('b'), refused('a')], {}, 'gate_running'],
  ['after both', [checking('a'), checking('b'), refused('a'), refused('b')], {}, 'working'],
])('%s a run is as it should be', (_when, events, context, state) => {
  verifies('BOARD-1');
  expect(runStateOf(folded(...events), { ...CALM, ...context })).toBe(state);
});

test('a run is not silent while a run nested in it moves, but the nested one may be', () => {
  verifies('BOARD-1');
  const { session } = folded();
  const stack = ['1', '3', '2'].map((lastActivityAt, index) => ({
    ...session,
    level: index + 1,
    lastActivityAt,
  }));
  expect(stack.map((each) => movedAt(each, stack, new Map()))).toEqual(['3', '3', '2']);
});

test('what a person does does not count as activity of the agent', () => {
  verifies('BOARD-1');
  const at = '2026-01-01T00:10:00.000Z';
  const data = { ended: '00000002', person: 'Ada', reason: 'no' };
  const steered: SessionEvent = { type: 'stack_changed', at, data };
  const described = describeRun(folded(steered), CALM);
  expect(described).toMatchObject({ last_activity_at: at, agent_seen_at: AT });
  const informed: SessionEvent = { type: 'informed', at, data: {} };
  expect(describeRun(folded(steered, informed), CALM).agent_seen_at).toBeUndefined();
});

test('a run says whether it waits at an approval or for a nested run', () => {
  verifies('BOARD-2');
  const waitsAt = (at?: EntryAt) => {
    const position = { ...POSITION, members: [], ...(at && { at }) };
    return describeRun(foldRun(null, started({ position })), CALM).waits_at;
  };
  expect(waitsAt({ kind: 'approve', name: 'go' })).toBe('approve');
  expect(waitsAt({ kind: 'run', name: 'sub', session: '00000002' })).toBe('run');
  expect(waitsAt()).toBeUndefined();
});

test('a step has failed if its last submission was turned down, in an aborted run as well', () => {
  verifies('BOARD-1');
  const statesAfter = (members: string[], ...events: SessionEvent[]) => {
    const all = [started({ position: { ...POSITION, members } }), ...events];
    return statesAlong(['a', 'b'], all)(all.reduce<Session | null>(evolve, null) as Session);
  };
  expect(statesAfter(['a'], ABORTED)).toEqual({ a: 'to_do', b: 'to_do' });
  expect(statesAfter(['a'], refused('a'), ABORTED)).toEqual({ a: 'failed', b: 'to_do' });
  expect(statesAfter(['a', 'b'], refused('b'))).toEqual({ a: 'current', b: 'failed' });
  const both = statesAfter(['a', 'b'], refused('b'), ABORTED);
  expect(both).toEqual({ a: 'to_do', b: 'failed' });
});

function ask(active: readonly Session[], of: { readonly about?: ArrivalId; run?: string } = {}) {
  const fold = foldTeam();
  const asked = { question: 'Go?', choices: ['yes'], multiSelect: false, ...of };
  const by = 'coordinator';
  const decision = decideAsk(fold.team, { at: AT, by, asker: by, questions: [asked] });
  if (decision.kind !== 'commit') throw new Error(decision.kind);
  fold.apply(1, decision.event as TeamEvent);
  const names = agentNames(fold.team, [], []);
  const [open] = openQuestions(fold.team, active, names);
  const [inRun] = questionsOf(fold.team, of.about?.session ?? null, names);
  return { open, inRun };
}

function nameless(session_id: string, process: string, level = 1): Session {
  return evolve(null, started({ session_id, owner: { identity: process, process }, level }));
}

test('a question holds up the run that it was asked in, and only while nothing is above that', () => {
  verifies('BOARD-1');
  const [one, other] = [nameless('00000001', 'p1'), nameless('00000002', 'p2')];
  const above = nameless('00000003', 'p1', 2);
  const heldBy = (run: string, ...active: Session[]) => ask(active, { run }).open?.session_id;
  expect(heldBy('00000001', one, other)).toBe('00000001');
  expect(heldBy('00000001', one, other, above)).toBeNull();
  expect(heldBy('00000003', one, other, above)).toBe('00000003');
  expect(heldBy('00000004', one, other)).toBeNull();
  expect(ask([one, other]).open?.session_id).toBeNull();
});

test('where only a person may decide, the workflow asks, and not the agent that waits for it', () => {
  verifies('BOARD-1');
  const asker = (grants: ArrivalId['grants']) => {
    const about = { session: '00000001', arrival: 1, ...(grants && { grants }) };
    const { open, inRun } = ask([nameless('00000001', 'p1')], { about });
    return [open?.asked_by, inRun?.asked_by];
  };
  for (const grants of ['approval', 'loop'] as const) {
    expect(asker(grants), grants).toEqual(['The workflow', 'The workflow']);
  }
  expect(asker('override'), 'the agent wants to skip reviews').toEqual([null, null]);
});

/** The last of these events for people. */
function wordsOf(...events: SessionEvent[]): ShownEvent {
  const all = [started(), ...events];
  const before = all.slice(0, -1).reduce<FoldedRun | null>(foldRun, null);
  const last = all.at(-1) as SessionEvent;
  return eventInWords(before?.session ?? null, last, foldRun(before, last).session, CALM.names);
}

test('an event has its agent, and one that nobody did has none', () => {
  verifies('BOARD-2');
  expect(wordsOf()).toMatchObject({ by: 'writer|opus', step_id: 'a', seq: 1 });
  expect(wordsOf({ type: 'nudged', at: AT, data: { nth: 2 } }).by).toBeNull();
  const owner = { identity: 'j', agent: 'reader', process: 'p2' };
  expect(wordsOf({ type: 'adopted', at: AT, data: { owner, level: 1 } }).by).toBe('reader');
});

test('what a question or the run says is not said again by the event that asks or the turn that ends', () => {
  verifies('BOARD-2', 'RUN-1');
  const event = (type: string, second: number, text: string, data = {}): ShownEvent => {
    const at = `2026-01-05T09:00:0${second}.000Z`;
    return { seq: second, at, type, step_id: 'a', by: null, text, data };
  };
  const asked = event('asked', 1, 'A person was asked', { question: 'q-1' });
  const text = 'May it go out?\nThese files:\na.md';
  const outcome = { asked_by: null, asked_at: asked.at, outcome: null };
  const question: RunQuestion = { id: 'q-1', text, ...outcome };
  const [only] = timelineOf([asked], [question]);
  expect(only?.text).toBe('A person was asked\nMay it go out?');
  const judged = event('judged', 2, 'Turned down\nToo short');
  const ended = `Turn 1 ended\n${REFUSED_IN_TURN}: Too short\nBye`;
  const turns = [event('turn_started', 1, 'Turn 1 began'), event('turn_ended', 3, ended)];
  const texts = (events: readonly ShownEvent[]) =>
    timelineOf(events, [], turns).map((each) => each.text);
  expect(texts([judged])).toEqual(['Turn 1 began', judged.text, 'Turn 1 ended\nBye']);
  // It was refused before anything could be judged.
  expect(texts([])).toEqual(['Turn 1 began', ended]);
});
