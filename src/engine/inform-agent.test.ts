// What an agent is told of a run that a person gave up: only what really happened.

import { expect, test } from 'vitest';
import { NOON, started, stateAfter } from '../../test/simulation/by-hand.ts';
import { plainJob, plainStep } from '../../test/simulation/definitions.ts';
import { decideStackChanged } from '../core/session/steering.ts';
import type { CallContext } from './call-context.ts';
import { newsOf } from './inform-agent.ts';

const ENDED = '0000beef';
const below = started(plainJob(plainStep('a', 'x!')));
const act = { at: NOON, ended: ENDED, person: 'Ada', reason: 'too dear' };
const told = stateAfter(below, decideStackChanged(below, act));

function newsIf(other: object | null) {
  const store = {
    load: async () => other,
    commit: async () => ({ session: told, prepared: null }),
  };
  const workspace = { store, clock: () => NOON, lostAnswers: { expect: () => {} } };
  return newsOf({ workspace, afterAnswer: () => {} } as unknown as CallContext, told);
}

test('an agent is told who gave the run above it up, and why', async () => {
  const other = { status: 'aborted', abortedBy: 'Ada', abortReason: 'too dear' };
  expect(await newsIf(other)).toMatchObject({ told: `Ada aborted run ${ENDED}: too dear` });
});

test('an agent is not told of an end that failed, or that was the act of someone else', async () => {
  expect(await newsIf({ status: 'active', abortedBy: null, abortReason: null })).toBeNull();
  const other = { status: 'aborted', abortedBy: 'Bob', abortReason: 'too dear' };
  expect(await newsIf(other)).toBeNull();
  expect(await newsIf({ ...other, abortedBy: 'Ada', abortReason: 'too slow' })).toBeNull();
  expect(await newsIf(null)).toBeNull();
});
