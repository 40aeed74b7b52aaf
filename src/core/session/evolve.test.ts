import { expect, test } from 'vitest';
import {
  failure,
  goTo,
  said,
  settled,
  started,
  stateAfter,
} from '../../../test/simulation/by-hand.ts';
import { plainJob, plainStep } from '../../../test/simulation/definitions.ts';
import type { Evidence } from './state.ts';

test('going back to a step drops what was said of it: verdicts that passed, and feedback', () => {
  const job = plainJob(plainStep('a', 'x!'));
  const evidence: Evidence = {
    ...{ key: 'review of x', step_id: 'a', kind: 'review', name: 'x', passed: true },
    ...{ said: 'fine', files: { 'x.md': 'hash' }, milliseconds: 1 },
  };
  const verdict = { accepted: [], failed: [failure('a')], evidence: [evidence] };
  const judged = settled(started(job), job, said({ x: 'x.md' }), verdict);
  expect(judged).toMatchObject({ passed: ['review of x'], lastFeedback: 'a is bad' });
  const back = stateAfter(judged, goTo(judged, job, 'a'));
  expect(back).toMatchObject({ passed: [], lastFeedback: null });
});
