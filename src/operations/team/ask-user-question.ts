// ask_user_question: asks the person whom the agents work for, in every available way, and waits.
// Only a person's words are returned as a response.

import * as z from 'zod';
import {
  MAX_CHOICE_LENGTH,
  MAX_CHOICES,
  MAX_QUESTIONS,
  MAX_TEXT_LENGTH,
} from '../../core/team/question-limits.ts';
import { askedText } from '../../core/team/question-texts.ts';
import { askPerson } from '../../engine/person/ask-person.ts';
import { notifyPerson } from '../../engine/person/notify-person.ts';
import { defineTeamTool } from './define.ts';

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
  multiSelect: z.boolean().nullish(),
});

export const askUserQuestion = defineTeamTool({
  name: 'ask_user_question',
  description:
    'Ask the user multiple-choice questions and wait. Without an answer, repeat the call; never answer for them.',
  input: z.strictObject({
    questions: z
      .array(question)
      .max(MAX_QUESTIONS, { error: `has more than ${MAX_QUESTIONS} items` }),
  }),
  readOnly: false,
  coordinatorOnly: true,
  async run({ workspace, owner, caller, signal, progress, afterAnswer, forms }, { questions }) {
    const { team, stacks, settings } = workspace;
    const { questionWaitSeconds } = (await settings()).team;
    const notification = notifyPerson(workspace);
    const top = (await stacks.of(owner)).at(-1);
    const asking = await askPerson(
      {
        ledger: team.questions,
        caller,
        signal,
        waitMs: questionWaitSeconds * 1000,
        progress,
        forms,
        asked: notification.begin,
      },
      questions.map(({ multiSelect, ...asked }) => ({
        ...asked,
        multiSelect: multiSelect ?? false,
        ...(top !== undefined && { run: top.id }),
      })),
    );
    if (asking.kind === 'forms') return asking.wanted;
    if (asking.closed) {
      notification.end();
      afterAnswer(async (delivered) => {
        if (delivered) await team.questions.collected(asking.set);
      });
    }
    return askedText(asking);
  },
});
