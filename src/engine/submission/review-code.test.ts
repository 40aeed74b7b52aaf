// What the code of a self-review depends on.

import { expect, test } from 'vitest';
import { plainStep, toStep } from '../../../test/simulation/definitions.ts';
import type { Session } from '../../core/session/state.ts';
import { reviewCode } from './review-code.ts';

const KEY = Buffer.alloc(32, 'key');
const SESSION = { id: '0000abcd' } as Session;
const criteria = [{ name: 'good', text: 'Is it good?' }];
const step = {
  ...toStep(plainStep('a', 'x!')),
  reviews: [{ runEach: 'step', criteria, guidance: null }],
};

function member(hash: string, reports = {}) {
  const outputs = { x: 'x.md' };
  return { step, sharedNames: [], outputs, files: { 'x.md': hash }, stamps: {}, reports };
}

test('a code is valid for one arrival, one content and one report', () => {
  const code = reviewCode(KEY, SESSION, 1, member('one'));
  expect(reviewCode(KEY, SESSION, 1, member('one'))).toBe(code);
  expect(reviewCode(KEY, SESSION, 2, member('one'))).not.toBe(code);
  expect(reviewCode(KEY, SESSION, 1, member('two'))).not.toBe(code);
  expect(reviewCode(KEY, SESSION, 1, member('one', { done: true }))).not.toBe(code);
  expect(reviewCode(Buffer.alloc(32, 'other'), SESSION, 1, member('one'))).not.toBe(code);
});
