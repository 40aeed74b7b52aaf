import { expect, test } from 'vitest';
import type { OpenQuestion, Run } from '../../board/run.ts';
import { countWaiting } from './attention.ts';

const run = (session_id: string, state: Run['state'], questions: readonly string[] = []) =>
  ({ session_id, state, questions }) as unknown as Run;
const question = (id: string, session_id: string | null) => ({ id, session_id }) as OpenQuestion;

test('a run and its questions count once, a question of no listed run counts by itself', () => {
  const runs = [
    run('asks', 'waiting_for_person', ['q-1', 'q-2', 'q-3']),
    run('gone', 'orphaned'),
    run('stalls', 'stalled'),
    run('works', 'working'),
    run('checks', 'gate_running'),
    run('ended', null),
  ];
  // q-3 was asked in no run.
  const own = [question('q-1', 'asks'), question('q-2', 'asks'), question('q-3', null)];
  expect(countWaiting({ runs, questions: own })).toBe(3);
  const others = [question('q-4', null), question('q-5', 'not-listed')];
  expect(countWaiting({ runs, questions: [...own, ...others] })).toBe(5);
  expect(countWaiting({ runs: [], questions: [] })).toBe(0);
});
