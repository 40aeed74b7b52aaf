import { expect, test } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import type { SessionEvent } from '../core/session/events.ts';
import { evolve } from '../core/session/evolve.ts';
import type { Session } from '../core/session/state.ts';
import { statesAlong } from './run-workflow.ts';

const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
const owner = { identity: 'i', process: 'p' };

function started(members: readonly string[]): SessionEvent {
  return {
    type: 'started',
    at: at(0),
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
      skipped: [],
      entries: 2,
      position: { entryIndex: 0, members, skipped: [], arrival: 1 },
    },
  };
}

function turnedDown(step_id: string): SessionEvent {
  const failed = [{ step_id, stage: 'rules', feedback: 'no', files: {}, details: [] } as const];
  const sent = { outputs: {}, notes: null };
  return {
    type: 'judged',
    at: at(1),
    data: { arrival: 1, accepted: [], failed, sent, feedback: 'no', position: null },
  };
}

const ABORTED: SessionEvent = {
  type: 'aborted',
  at: at(2),
  data: { explanation: 'enough', ending: { nth: 1, resumes: null } },
};

function statesAfter(events: readonly SessionEvent[]) {
  const session = events.reduce<Session | null>(evolve, null) as Session;
  return statesAlong(['a', 'b'], events)(session);
}

test('the step at which a run was aborted has failed only if its last submission was turned down', () => {
  verifies('BOARD-1');
  expect(statesAfter([started(['a']), ABORTED])).toEqual({ a: 'to_do', b: 'to_do' });
  expect(statesAfter([started(['a']), turnedDown('a'), ABORTED])).toEqual({
    a: 'failed',
    b: 'to_do',
  });
});

test('of concurrent steps, those that were turned down have failed, in an aborted run too', () => {
  verifies('BOARD-1');
  const events = [started(['a', 'b']), turnedDown('b')];
  expect(statesAfter(events)).toEqual({ a: 'current', b: 'failed' });
  expect(statesAfter([...events, ABORTED])).toEqual({ a: 'to_do', b: 'failed' });
});
