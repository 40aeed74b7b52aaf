// What an agent learns about a run that a person aborted: only what really happened.

import { expect, test } from 'vitest';
import { NOON, started, stateAfter } from '../../test/simulation/by-hand.ts';
import { plainJob, plainStep } from '../../test/simulation/definitions.ts';
import { decideStackChanged } from '../core/session/steering.ts';
import type { CallContext } from './call-context.ts';
import { newsOf } from './inform-agent.ts';

const ENDED = '0000beef';
const below = started(plainJob(plainStep('a', 'x!')));
const act = { at: NOON, ended: ENDED, person: 'Ada', reason: 'too expensive' };
const informed = stateAfter(below, decideStackChanged(below, act));

function newsIf(other: object | null) {
  const store = {
    load: async () => other,
    commit: async () => ({ session: informed, prepared: null }),
  };
  const workspace = { store, clock: () => NOON, lostAnswers: { expect: () => {} } };
  return newsOf({ workspace, afterAnswer: () => {} } as unknown as CallContext, informed);
}

test('an agent learns who aborted the run above it, and why', async () => {
  const other = { status: 'aborted', abortedBy: 'Ada', abortReason: 'too expensive' };
  expect(await newsIf(other)).toMatchObject({ text: `Ada aborted run ${ENDED}: too expensive` });
});

test('an agent does not learn of an abort that failed, or that someone else made', async () => {
  expect(await newsIf({ status: 'active', abortedBy: null, abortReason: null })).toBeNull();
  const other = { status: 'aborted', abortedBy: 'Bob', abortReason: 'too expensive' };
  expect(await newsIf(other)).toBeNull();
  expect(await newsIf({ ...other, abortedBy: 'Ada', abortReason: 'too slow' })).toBeNull();
  expect(await newsIf(null)).toBeNull();
});
