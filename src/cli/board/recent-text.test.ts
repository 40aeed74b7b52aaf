import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { cellWidth } from '../../board/drawing/text-width.ts';
import type { Recent, RecentRun } from '../../board/recent.ts';
import type { RecentEvent, RecentKind } from '../../board/recent-events.ts';
import type { Run } from '../../board/run.ts';
import { recentLines } from './recent-lines.ts';
import { recentText } from './recent-text.ts';
import type { Screen } from './screen.ts';

const here = (day: number, hour: number, minute = 0) =>
  new Date(2026, 10, day, hour, minute).toISOString();
/** A Tuesday. */
const NOW = here(17, 12);

function event(kind: RecentKind, at: string, more: Partial<RecentEvent> = {}): RecentEvent {
  return { at, kind, step_id: null, by: null, text: kind, why: null, ...more };
}

const accepted = (step_id: string, at = NOW) => event('accepted', at, { step_id });
const refused = (step_id: string, why: string, at = NOW) =>
  event('turned_down', at, { step_id, why, text: `'${step_id}' was turned down by ${why}` });
const turn = (by: string, cost_usd: number | null) =>
  event('turn', NOW, { by, cost_usd, text: `Turn 1 of ${by}` });

const wordsOf = (...events: RecentEvent[]) => recentLines(events, NOW).map(({ text }) => text);

test('steps that were done one after the other are one line, each named once', () => {
  verifies('BOARD-2');
  expect(wordsOf(accepted('a'), accepted('b'), accepted('c'))).toEqual(['Done: a, b, c']);
  expect(wordsOf(accepted('a'), accepted('b'), accepted('a'), accepted('a'))).toEqual([
    'Done: a (3 times), b',
  ]);
  expect(wordsOf(accepted('list'), accepted('page#1'))).toEqual(['Done: list, page (1 item)']);
  expect(wordsOf(accepted('page#1'), accepted('page#2'))).toEqual(['Done: page (2 items)']);
  const many = Array.from({ length: 15 }, (_, index) => accepted(`s${index}`));
  expect(wordsOf(...many)[0]).toMatch(/^Done: s0, .*, s11, and 3 more$/);
  expect(wordsOf(accepted('a'), event('completed', NOW))).toEqual(['Done: a; completed']);
  const later = here(17, 13);
  expect(wordsOf(accepted('a'), event('completed', later, { text: 'Completed' }))).toEqual([
    ...['Done: a', 'Completed'],
  ]);
});

test('of refusals the number and the last reason are shown', () => {
  verifies('BOARD-2');
  expect(wordsOf(refused('a', 'the rules: too short'))).toEqual([
    "'a' was turned down by the rules: too short",
  ]);
  expect(wordsOf(refused('a', 'x'), accepted('b', here(17, 11)), refused('a', 'y'))).toEqual([
    ...['Done: b', "'a' was turned down twice, last by y"],
  ]);
  const three = [refused('a', 'x'), refused('a', 'y'), refused('b', "check 'tests': 2 failed")];
  expect(wordsOf(...three)).toEqual(["Turned down 3 times; last 'b', by check 'tests': 2 failed"]);
});

test('what a person did, or has to know, has a line of its own', () => {
  verifies('BOARD-2');
  const back = event('sent_back', NOW, { text: "Ada sent it back to 'a': too short" });
  expect(wordsOf(accepted('a'), accepted('b'), back, accepted('a'))).toEqual([
    ...['Done: a, b', "Ada sent it back to 'a': too short", 'Done: a'],
  ]);
  const reminded = event('reminded', NOW, { text: 'The agent wanted to stop and was sent back' });
  expect(wordsOf(reminded)).toEqual(['The agent wanted to stop and was sent back']);
  expect(wordsOf(reminded, reminded)).toEqual(['The agent wanted to stop twice and was sent back']);
  const until = here(17, 15);
  const out = { text: `claude is out of quota until ${until}`, why: until };
  expect(wordsOf(event('out_of_quota', NOW, out))).toEqual(['claude is out of quota until 15:00']);
});

test('turns are counted, with what they cost as far as it is known', () => {
  verifies('BOARD-2');
  expect(wordsOf(turn('claude', 0.5))).toEqual(['Turn 1 of claude']);
  expect(wordsOf(turn('claude', 0.1), turn('claude', 0.2))).toEqual(['2 turns of claude, $0.30']);
  expect(wordsOf(turn('codex', null), turn('codex', null))).toEqual(['2 turns of codex']);
  expect(wordsOf(turn('writer', 1), turn('writer', null), turn('reader', 1))).toEqual([
    '3 turns (writer 2, reader 1), $2.00 plus unreported costs',
  ]);
});

function run(session_id: string, more: Partial<Run> = {}): Run {
  return {
    session_id,
    workflow: 'demo/main',
    goal: 'Get it done',
    agent: null,
    parent_session_id: null,
    status: 'active',
    state: 'working',
    step: 'b',
    position: { index: 2, of: 3 },
    started_at: here(16, 10),
    last_activity_at: NOW,
    attempts: 0,
    refusals: 0,
    overrides: 0,
    nudges: 0,
    last_feedback: null,
    questions: [],
    ended_at: null,
    ...more,
  };
}

const done = (at: string) => ({ status: 'completed', state: null, ended_at: at }) as const;

function textOf(runs: readonly RecentRun[], more: Partial<Recent> = {}, width = 80): string {
  const screen: Screen = { width, height: null, paint: (_colour, text) => text };
  const kinds = runs.flatMap(({ events }) => events.map(({ kind }) => kind));
  const count = (kind: RecentKind) => kinds.filter((each) => each === kind).length;
  const counts = {
    started: 0,
    completed: count('completed'),
    aborted: count('aborted'),
    turned_down: 0,
    active: 0,
    questions: 0,
    ...more.counts,
  };
  return recentText(
    {
      workspace: '/w',
      at: NOW,
      since: here(16, 12),
      until: null,
      runs,
      unmoved: [],
      asked: [],
      team: null,
      questions: [],
      damaged: [],
      before: null,
      warnings: [],
      ...more,
      counts,
    },
    screen,
  );
}

test('a run that continued after midnight is listed under both days, with its end under the later one', () => {
  verifies('BOARD-2');
  const events = [
    event('started', here(16, 23, 50), { text: 'Started by writer' }),
    accepted('a', here(16, 23, 55)),
    accepted('b', here(17, 0, 10)),
    event('completed', here(17, 0, 10)),
  ];
  expect(textOf([{ run: run('00000001', done(here(17, 0, 10))), events }])).toBe(
    `Since yesterday 12:00: 1 run completed.

Today, Tuesday 2026-11-17
  00000001  done in 14 h 10 min  demo/main
            Get it done
  00:10     Done: b; completed

Yesterday, Monday 2026-11-16
  00000001  continued  demo/main
  23:50     Started by writer
  23:55     Done: a

One run in full: deepwork history 00000001
`,
  );
});

test('the first sentence counts what ended, and the rest by state', () => {
  verifies('BOARD-2');
  const one = (id: string, more: Partial<Run>, kind: RecentKind = 'accepted') => ({
    run: run(id, more),
    events: [event(kind, NOW, { step_id: 'a' })],
  });
  const stop = { at: NOW, reason: 'budget', detail: 'No turn is left', warnings: [] };
  const unattended = { agent: 'c', turn: 3, is_running: false, limit_until: null, stopped: stop };
  const runs = [
    one('00000001', done(NOW), 'completed'),
    one('00000002', done(NOW), 'completed'),
    one('00000003', { ...done(NOW), status: 'aborted' }, 'aborted'),
    one('00000004', { state: 'waiting_for_person' }),
    one('00000005', { state: 'gate_running' }),
    one('00000006', {}),
    one('00000007', { state: 'orphaned', unattended }),
  ];
  const unmoved = [run('00000008', { state: 'orphaned' }), run('00000009', { state: 'stalled' })];
  const counts = { questions: 2, active: 6 } as Recent['counts'];
  const text = textOf(runs, { unmoved, counts });
  expect(text.split('\n\n')[0]?.replaceAll('\n', ' ')).toBe(
    'Since yesterday 12:00: 2 runs completed, 1 aborted, 1 stopped, 1 waiting for you, 1 whose agent is gone, 1 stalled, 1 being checked, 1 still working, 2 questions open.',
  );
  expect(text).toContain('00000007  stopped  ');
  expect(text).toContain('What needs you now: deepwork status\n');
  const working = textOf([one('00000006', {})], { counts: { active: 1 } as Recent['counts'] });
  expect(working).toContain('What runs now: deepwork status\n');
  expect(working).not.toContain('needs you');
  expect(text).toContain('Open, but nothing happened\n  00000008  agent gone');
  expect(textOf([], { counts: { questions: 1 } as Recent['counts'] })).toMatch(
    /^Since yesterday 12:00: no run has moved, 1 question open\./,
  );
});

test('what belongs to no run is listed below: questions, messages, reports', () => {
  verifies('BOARD-2');
  const asked = [event('asked', here(16, 13), { text: 'writer asked q-1: Shall we?' })];
  const reports = [
    { at: here(16, 14), agent: 'writer', text: 'Half of it' },
    { at: here(17, 8), agent: 'reader', text: 'All of it' },
  ];
  expect(textOf([], { asked, team: { messages: 1, reports } })).toContain(
    [
      'Outside of runs',
      '  yesterday 13:00: writer asked q-1: Shall we?',
      '  1 message between agents',
      '  2 reports of progress, the last by reader, today 08:00: All of it',
    ].join('\n'),
  );
});

test('hundreds of runs are cut, and nothing is wider than the screen', () => {
  verifies('BOARD-2');
  const long = 'many words and '.repeat(40);
  const runs = Array.from({ length: 100 }, (_, index) => ({
    run: run(String(index).padStart(8, '0'), { goal: long, workflow: 'w'.repeat(70) }),
    events: [refused('a', long)],
  }));
  for (const width of [40, 80, 120]) {
    const text = textOf(runs, {}, width);
    for (const line of text.split('\n')) expect(cellWidth(line), line).toBeLessThanOrEqual(width);
    expect(text.replace(/\s+/g, ' ')).toContain('40 more are left out: choose a later --since');
  }
});
