import { expect, test } from 'vitest';
import type { Unattended } from '../../../board/run.ts';
import { agentOf } from './agent.ts';

const unattended: Unattended = {
  agent: 'codex',
  turn: 1,
  is_running: true,
  limit_until: null,
  stopped: null,
};

test('an unattended run is shown with the agent of its last turn', () => {
  expect(agentOf({ agent: 'coordinator|command|b62c0ac8', unattended })).toBe('codex');
  expect(agentOf({ agent: 'reviewer' })).toBe('reviewer');
  expect(agentOf({ agent: null })).toBeNull();
});
