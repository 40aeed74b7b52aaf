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

test('one line sums up what happened in a row: steps, refusals, reminders and turns', () => {
  verifies('BOARD-2');
  expect(wordsOf(accepted('a'), accepted('b'), accepted('a'))).toEqual(['Done: a (twice), b']);
  expect(wordsOf(accepted('page#1'), accepted('page#2'))).toEqual(['Done: page (2 items)']);
  const many = Array.from({ length: 15 }, (_, index) => accepted(`s${index}`));
  expect(wordsOf(...many)[0]).toMatch(/^Done: s0, .*, s11, and 3 more$/);
  const [done, turnedDown, ...none] = wordsOf(
    ...[refused('a', 'x'), accepted('b', here(17, 11)), refused('a', 'y')],
  );
  expect([done, none]).toEqual(['Done: b', []]);
  expect(turnedDown).toMatch(/'a' .* twice, last by y/);
  const reminded = event('reminded', NOW, { text: 'The agent wanted to stop and was sent back' });
  expect(wordsOf(reminded, reminded)).toEqual([expect.stringContaining('twice')]);
  expect(wordsOf(turn('writer', 1), turn('writer', null), turn('reader', 1))).toEqual([
    '3 turns (writer 2, reader 1), $2.00 plus unreported costs',
  ]);
});

test('what a person did has a line of its own', () => {
  verifies('BOARD-2');
  const back = event('sent_back', NOW, { text: "Ada sent it back to 'a': too short" });
  expect(wordsOf(accepted('a'), accepted('b'), back, accepted('a'))).toEqual([
    ...['Done: a, b', "Ada sent it back to 'a': too short", 'Done: a'],
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
  expect(text).toContain('00000007  stopped');
  expect(text).toContain('What needs you now: deepwork status\n');
  expect(text).toContain('Open, but nothing happened\n  00000008  agent gone');
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
