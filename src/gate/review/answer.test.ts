import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { readAnswer } from './answer.ts';

const CRITERIA = [
  { name: 'clear', text: 'It is clear' },
  { name: 'short', text: 'It is short' },
];
const yes = (criterion: string) => ({ criterion, passed: true });
const no = (criterion: string) => ({ criterion, passed: false, feedback: `not ${criterion}` });

test.each([
  ['by name', [yes('clear'), no('clear'), yes('short')]],
  ['the worse one first', [no('clear'), yes('clear'), yes('short')]],
  ['once by its name and once by its text', [yes('clear'), yes('short'), no('It is clear')]],
])('of two verdicts on one criterion the worse counts: %s', (_how, criteria_results) => {
  verifies('JOBS-X.16');
  const answer = readAnswer({ passed: true, feedback: 'ok', criteria_results }, CRITERIA);
  expect(answer).toMatchObject({
    passed: false,
    results: [
      { criterion: 'clear', passed: false },
      { criterion: 'short', passed: true },
    ],
  });
  expect(answer?.feedback).toMatch(/^clear: not /);
});

test('a verdict can name its criterion by its text', () => {
  const criteria_results = [yes('It is clear'), yes('short')];
  expect(readAnswer({ passed: true, feedback: 'ok', criteria_results }, CRITERIA)).toEqual({
    passed: true,
    feedback: 'ok',
    results: [
      { criterion: 'clear', passed: true, feedback: null },
      { criterion: 'short', passed: true, feedback: null },
    ],
  });
});
