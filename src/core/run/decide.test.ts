import { expect, test } from 'vitest';
import type { Liveness } from '../session/ownership.ts';
import { decideRunEvent, decideRunStart } from './decide.ts';
import type { RunEvent, RunStarted } from './events.ts';
import { evolveRun } from './record.ts';

const AT = '2026-01-01T00:00:00.000Z';

function startedBy(process: string): RunStarted {
  return {
    type: 'run_started',
    at: AT,
    data: {
      run_id: '0a1b2c3d',
      kind: 'workflow',
      identity: 'a',
      workflow: 'w',
      goal: 'g',
      agent: null,
      continues: false,
      worktree: null,
      process,
      on_limit: 'wait',
      budgets: { max_minutes: null, max_turns: null, max_usd: null },
    },
  };
}

const TURN: RunEvent = {
  type: 'turn_started',
  at: AT,
  data: { turn: 1, step_id: 's', agent: 'a' },
};
const STOP: RunEvent = { type: 'run_stopped', at: AT, data: { reason: 'stopped', detail: 'd' } };

test.each<[Liveness, string]>([
  ['alive', 'refused'],
  ['unknown', 'refused'],
  ['gone', 'commit'],
])('a run whose process is %s is started again: %s', (liveness, kind) => {
  const record = evolveRun(null, startedBy('one'));
  expect(decideRunStart(record, startedBy('two'), () => liveness).kind).toBe(kind);
  const stopped = evolveRun(record, STOP);
  expect(decideRunStart(stopped, startedBy('two'), () => liveness).kind).toBe('commit');
});

test('a process that was replaced, or has stopped, records nothing more', () => {
  const record = evolveRun(evolveRun(null, startedBy('one')), startedBy('two'));
  expect(decideRunEvent(record, 'two', TURN).kind).toBe('commit');
  expect(decideRunEvent(record, 'one', TURN)).toMatchObject({
    refusal: { code: 'run_taken_over' },
  });
  const stopped = evolveRun(record, STOP);
  expect(decideRunEvent(stopped, 'two', TURN)).toMatchObject({ refusal: { code: 'run_stopped' } });
});
