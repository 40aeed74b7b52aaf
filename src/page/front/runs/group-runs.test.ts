import { expect, test } from 'vitest';
import type { Run } from '../../../board/run.ts';
import { countOf, GROUPS, type Group, groupRuns } from './group-runs.ts';

function run(id: string, state: Run['state'], more: Partial<Run> = {}): Run {
  return {
    session_id: id,
    workflow: 'job/workflow',
    goal: id,
    agent: null,
    parent_session_id: null,
    status: state === null ? 'completed' : 'active',
    state,
    step: 's',
    position: { index: 1, of: 2 },
    started_at: '2026-01-01T00:00:00Z',
    last_activity_at: '2026-01-01T00:00:00Z',
    ended_at: state === null ? '2026-01-01T00:00:00Z' : null,
    attempts: 0,
    refusals: 0,
    overrides: 0,
    nudges: 0,
    last_feedback: null,
    questions: [],
    ...more,
  };
}

function shape(runs: readonly Run[]): Record<Group, string[]> {
  const { needs_you, running, ended } = groupRuns(runs);
  const words = (group: typeof ended) =>
    group.map((each) => `${'>'.repeat(each.depth)}${each.run.session_id}`);
  return { needs_you: words(needs_you), running: words(running), ended: words(ended) };
}

test('what needs a person comes first, most urgent first; then what moves, then what ended', () => {
  const runs = [
    run('done', null, { ended_at: '2026-01-02T00:00:00Z' }),
    run('later', null, { ended_at: '2026-01-03T00:00:00Z' }),
    run('works', 'working'),
    run('checks', 'gate_running', { started_at: '2026-01-05T00:00:00Z' }),
    run('stalls', 'stalled'),
    run('asks', 'waiting_for_person'),
    run('gone', 'orphaned'),
  ];
  expect(shape(runs)).toEqual({
    needs_you: ['asks', 'gone', 'stalls'],
    running: ['checks', 'works'],
    ended: ['later', 'done'],
  });
});

test('a nested run is below its parent, and moves it to the group of the more urgent one', () => {
  const runs = [
    run('root', 'working'),
    run('child', 'working', { parent_session_id: 'root' }),
    run('grandchild', 'waiting_for_person', { parent_session_id: 'child' }),
    run('of-a-stranger', null, { parent_session_id: 'not-listed' }),
  ];
  expect(shape(runs)).toEqual({
    needs_you: ['root', '>child', '>>grandchild'],
    running: [],
    ended: ['of-a-stranger'],
  });
});

test('runs that ended below an active one are folded away and not counted', () => {
  const runs = [
    run('root', 'orphaned'),
    ...['e1', 'e2', 'e3'].map((id) => run(id, null, { parent_session_id: 'root' })),
    run('below-e1', null, { parent_session_id: 'e1' }),
    run('active', 'working', { parent_session_id: 'root' }),
    run('ended-between', null, { parent_session_id: 'root' }),
    run('still-works', 'working', { parent_session_id: 'ended-between' }),
    run('alone', null),
    run('of-alone', null, { parent_session_id: 'alone' }),
  ];
  expect(shape(runs)).toEqual({
    needs_you: ['root', '>active', '>ended-between', '>>still-works'],
    running: [],
    ended: ['alone', '>of-alone'],
  });
  const grouped = groupRuns(runs);
  expect(
    grouped.needs_you[0]?.folded.map(({ run, depth }) => `${'>'.repeat(depth)}${run.session_id}`),
  ).toEqual(['>e1', '>>below-e1', '>e2', '>e3']);
  expect(GROUPS.map((group) => countOf(grouped, group))).toEqual([1, 0, 2]);
});

test('runs that name each other as parents are all shown', () => {
  const runs = [
    run('a', 'working', { parent_session_id: 'b' }),
    run('b', 'working', { parent_session_id: 'a' }),
    run('c', 'working', { parent_session_id: 'a' }),
    run('own', 'working', { parent_session_id: 'own' }),
  ];
  const { running } = shape(runs);
  expect(running.map((each) => each.replaceAll('>', '')).sort()).toEqual(['a', 'b', 'c', 'own']);
});
