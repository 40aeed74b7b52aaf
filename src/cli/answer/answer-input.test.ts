// What a person can type at a question, and how it is read.

import { expect, test } from 'vitest';
import { readTyped } from './answer-input.ts';

const ONE = { question: 'Go?', choices: ['Yes', 'No', 'Yes'], multiSelect: false };
const MANY = { question: 'Which?', choices: ['a', 'b', 'd'], multiSelect: true };
const given = (choices: string[], other: string | null = null) => ({
  kind: 'answer',
  given: { choices, other },
});

test.each([
  ['2', ONE, given(['No'])],
  [' yes ', ONE, given(['Yes'])],
  ['1 3', MANY, given(['a', 'd'])],
  ['3,1,3', MANY, given(['d', 'a'])],
  ['1 | but slowly', ONE, given(['Yes'], 'but slowly')],
  ['| 7', ONE, given([], '7')],
  ['neither | nor', ONE, given([], 'neither | nor')],
  ['not now', ONE, given([], 'not now')],
  ['1st of May', ONE, given([], '1st of May')],
  ['', ONE, { kind: 'later' }],
  ['d', ONE, { kind: 'dismiss' }],
  ['d', MANY, given(['d'])],
])('%j', (line, asked, expected) => {
  expect(readTyped(line, asked)).toEqual(expected);
});

test.each([
  ['3', ONE, /There is no 3/],
  ['0', ONE, /There is no 0/],
  ['1 2', ONE, /Only one choice/],
  ['|', ONE, /after the bar/],
  [',', MANY, /nothing|after the bar/],
])('%j is unclear', (line, asked, problem) => {
  expect(readTyped(line, asked)).toMatchObject({
    kind: 'unclear',
    problem: expect.stringMatching(problem),
  });
});
