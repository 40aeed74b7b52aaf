// ask_user_question: puts questions to the person whom the agents work for, by every way
// that is open, and waits. Only what a person said is told as a response.

import * as z from 'zod';
import {
  MAX_CHOICE_LENGTH,
  MAX_CHOICES,
  MAX_QUESTIONS,
  MAX_TEXT_LENGTH,
} from '../../core/team/question-limits.ts';
import { askedText } from '../../core/team/question-texts.ts';
import { askPerson } from '../../engine/ask-person.ts';
import { notifyPerson } from '../../engine/notify-person.ts';
import { defineTeamOperation } from './define.ts';

function upTo(bytes: number) {
  return z
    .string()
    .refine((value) => Buffer.byteLength(value) <= bytes, { error: `is over ${bytes} bytes` });
}

const question = z.strictObject({
  question: upTo(MAX_TEXT_LENGTH),
  choices: z
    .array(upTo(MAX_CHOICE_LENGTH))
    .max(MAX_CHOICES, { error: `has more than ${MAX_CHOICES} items` }),
  multiSelect: z.boolean().nullish().describe('More than one choice may be made'),
});

export const askUserQuestion = defineTeamOperation({
  name: 'ask_user_question',
  description:
    'Ask your human partner multiple-choice questions and wait. Without an answer, call again with the same questions; never answer for them.',
  input: z.strictObject({
    questions: z
      .array(question)
      .max(MAX_QUESTIONS, { error: `has more than ${MAX_QUESTIONS} items` }),
  }),
  readOnly: false,
  coordinatorOnly: true,
  async run({ workspace, caller, signal, progress, afterAnswer, forms }, { questions }) {
    const { team, settings } = workspace;
    const { questionWaitSeconds } = (await settings()).team;
    const calling = notifyPerson(workspace);
    const asking = await askPerson(
      {
        ledger: team.questions,
        caller,
        signal,
        waitMs: questionWaitSeconds * 1000,
        progress,
        forms,
        asked: calling.begin,
      },
      questions.map(({ multiSelect, ...asked }) => ({
        ...asked,
        multiSelect: multiSelect ?? false,
      })),
    );
    if (asking.kind === 'forms') return asking.wanted;
    if (asking.settled) {
      calling.end();
      afterAnswer(async (delivered) => {
        if (delivered) await team.questions.collected(asking.set);
      });
    }
    return askedText(asking);
  },
});
