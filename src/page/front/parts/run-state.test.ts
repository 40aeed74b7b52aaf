import { expect, test } from 'vitest';
import { stateOf } from './run-state.tsx';

const LEFT = { status: 'active', state: 'orphaned' } as const;

test('a run that is worked on from a terminal is left open, and its agent is not missed', () => {
  expect(stateOf({ ...LEFT, at_terminal: true }).word).toBe('Left open');
  expect(stateOf(LEFT).word).toBe('Agent gone');
});
