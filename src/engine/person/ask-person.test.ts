// A token that a client returns is valid only for the questions that it was issued for.

import { expect, test } from 'vitest';
import type { Asked, Question } from '../../core/team/state.ts';
import type { QuestionLedger } from '../../team/question-ledger.ts';
import { askPerson } from './ask-person.ts';
import type { ReturnedForms } from './forms.ts';

const GO: Asked = { question: 'Go?', choices: ['yes', 'no'], multiSelect: false };
const DELETE: Asked = { ...GO, question: 'Delete everything?' };

function ask(known: Asked, returned: ReturnedForms | null) {
  const question = { id: 'q-1', set: 1, outcome: { kind: 'open' }, ...known } as Question;
  const answered: unknown[] = [];
  const ledger = {
    ask: async () => ({ set: 1, ids: ['q-1'], attached: false }),
    find: async () => question,
    answer: async (...given: unknown[]) => void answered.push(given),
  } as unknown as QuestionLedger;
  const forms = { kind: 'between', by: 'client', returned } as const;
  const caller = { name: 'coordinator', model: null, variant: null };
  const signal = new AbortController().signal;
  const options = { ledger, caller, signal, waitMs: 0, progress: () => {}, forms };
  return { asking: askPerson(options, [GO]), answered };
}

test('a reply does not answer another question that now has the same id', async () => {
  const first = await ask(GO, null).asking;
  if (first.kind !== 'forms') throw new Error(first.kind);
  const replies = new Map([['q-1', { action: 'accept', choices: ['yes'], other: null } as const]]);
  const { asking, answered } = ask(DELETE, { token: first.wanted.token, replies });
  await expect(asking).rejects.toThrow('requestState belongs to other questions');
  expect(answered).toEqual([]);
});
