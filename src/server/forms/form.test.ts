// Forms are what the protocol allows, and replies become what the ledger can validate.

import { expect, test } from 'vitest';
import type { Question } from '../../core/team/state.ts';
import { formOf, replyOf } from './form.ts';

const QUESTION: Question = {
  id: 'q-3',
  set: 1,
  askedBy: 'coordinator',
  askedAt: '2026-01-01T00:00:00.000Z',
  question: 'Go?',
  choices: ['yes', 'no', 'yes', ''],
  multiSelect: false,
  outcome: { kind: 'open' },
};

test('a schema names each choice once', () => {
  const { properties } = formOf(QUESTION, null).requestedSchema;
  expect(properties.choice?.oneOf).toEqual([
    { const: 'yes', title: 'yes' },
    { const: 'no', title: 'no' },
    { const: '', title: '(blank)' },
  ]);
  expect(formOf(QUESTION, null).requestedSchema).not.toHaveProperty('required');
});

test('a message is never empty, and names the earlier problem', () => {
  expect(formOf({ ...QUESTION, question: ' ' }, null).message).toBe('(question q-3 has no text)');
  expect(formOf(QUESTION, 'Not that').message).toBe('Not that.\n\nGo?');
});

test.each<[string, unknown, unknown]>([
  ['a choice', { action: 'accept', content: { choice: 'yes' } }, { choices: ['yes'], other: null }],
  [
    'choices and words',
    { action: 'accept', content: { choices: ['a', 'b'], other: 'x' } },
    { choices: ['a', 'b'], other: 'x' },
  ],
  ['an empty field', { action: 'accept', content: { choice: '' } }, { choices: [], other: null }],
  ['nothing', { action: 'accept' }, { choices: [], other: null }],
  [
    'nonsense',
    { action: 'accept', content: { choices: [1, null, 'a'], other: {} } },
    { choices: ['a'], other: null },
  ],
])('an accepted reply: %s', (_what, given, expected) => {
  expect(replyOf(given)).toEqual({ action: 'accept', ...(expected as object) });
});

test.each([
  [{ action: 'decline', content: { choice: 'yes' } }, 'decline'],
  [{ action: 'cancel' }, 'cancel'],
  [{ action: 'perhaps' }, 'cancel'],
  [null, 'cancel'],
  ['accept', 'cancel'],
])('what is not accepted is no answer: %j', (given, action) => {
  expect(replyOf(given)).toEqual({ action });
});
