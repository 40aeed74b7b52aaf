import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import type { Run, ShownEvent } from '../../board/run.ts';
import { timelineOf } from '../../board/timeline.ts';
import { eventLines, runFooter, runHeader } from './history-text.ts';
import type { Screen } from './screen.ts';

const SCREEN: Screen = { width: 80, height: null, paint: (_colour, text) => text };
const here = (day: number, hour: number) => new Date(2026, 0, day, hour, 2, 3).toISOString();

function event(seq: number, more: Partial<ShownEvent> = {}): ShownEvent {
  return {
    seq,
    at: here(5, 9),
    type: 'judged',
    step_id: 'a',
    by: null,
    text: 'Said',
    data: {},
    ...more,
  };
}

const lines = (events: readonly ShownEvent[], agent: string | null = null, day = '2026-01-05') =>
  eventLines(timelineOf(events, []), SCREEN, { agent, day, now: here(7, 9) }).split('\n');

test('each event has its time, and a day is printed when it changes', () => {
  verifies('BOARD-2');
  expect(lines([event(1), event(2, { at: here(5, 10) })])).toEqual([
    '1  09:02:03  Said',
    '2  10:02:03  Said',
  ]);
  const two = [event(1), event(2, { at: here(6, 0) }), event(3, { at: here(6, 1) })];
  expect(lines(two, null, '2026-01-07')).toEqual([
    ...['2026-01-05', '1  09:02:03  Said', '2026-01-06', '2  00:02:03  Said'],
    '3  01:02:03  Said',
  ]);
});

test('the goal, which the header shows, is not repeated', () => {
  verifies('BOARD-2');
  const started = event(1, {
    type: 'started',
    text: "Started at 'a'\nGoal: Get it done\nInputs: x = 1",
  });
  expect(lines([started])).toEqual(["1  09:02:03  Started at 'a'", '               Inputs: x = 1']);
});

test('who acted is named only if the header and the text do not name them', () => {
  verifies('BOARD-2');
  const person = event(2, { by: 'Ada', text: 'Ada sent it back', data: { person: 'Ada' } });
  expect(lines([event(1), person])).toEqual(['1  09:02:03  Said', '2  09:02:03  Ada sent it back']);
  const other = [event(1, { by: 'writer' }), event(2, { by: 'reader' }), person];
  expect(lines(other, 'reader')).toEqual([
    '1  09:02:03  writer  Said',
    '2  09:02:03          Said',
    '2  09:02:03          Ada sent it back',
  ]);
});

test('the header shows the state and the start, the footer how long it took', () => {
  verifies('BOARD-2');
  const run: Run = {
    session_id: '00000001',
    workflow: 'demo/main',
    goal: 'Get it done',
    agent: null,
    parent_session_id: null,
    status: 'completed',
    state: null,
    step: 'a',
    position: { index: 1, of: 1 },
    started_at: here(5, 9),
    last_activity_at: here(5, 11),
    attempts: 0,
    refusals: 0,
    overrides: 0,
    nudges: 0,
    last_feedback: null,
    questions: [],
    ended_at: here(5, 11),
    at_terminal: true,
  };
  expect(runHeader(run, here(6, 12), SCREEN).split('\n')).toEqual([
    '00000001 demo/main, step a (1 of 1): done',
    'Get it done',
    'started 1 day ago, from a terminal',
  ]);
  expect(runFooter(run)).toBe('Done in 2 h.');
  expect(runFooter({ ...run, status: 'aborted' })).toBe('Aborted after 2 h.');
  expect(runFooter({ ...run, status: 'active', ended_at: null })).toBeNull();
});
