import { expect, test } from 'vitest';
import { verdictWithCodes } from './self-review-verdict.ts';

test.each([
  ['abcd1234 All is there.\nPASSED', 'passed'],
  ['**abcd1234**: PASSED', 'passed'],
  ['abcd1234 The end is missing.\nFAILED', 'failed'],
  ['abcd1234 it has not PASSED', 'unclear'],
  ['abcd1234 PASSED, I think', 'unclear'],
  ['I was told to write abcd1234.\nPASSED', null],
  ['PASSED', null],
])('of one review, %j says %s', (reason, verdict) => {
  expect(verdictWithCodes(['abcd1234'], reason)).toBe(verdict);
});

test.each([
  ['aaaa1111\nPASSED\nbbbb2222\nPASSED', 'passed'],
  ['bbbb2222\nPASSED\naaaa1111\nPASSED', 'passed'],
  ['aaaa1111\nPASSED\nbbbb2222\nFAILED', 'failed'],
  ['aaaa1111 bbbb2222\nPASSED', 'unclear'],
  ['aaaa1111\nPASSED', null],
])('of two reviews, %j says %s', (reason, verdict) => {
  expect(verdictWithCodes(['aaaa1111', 'bbbb2222'], reason)).toBe(verdict);
});
