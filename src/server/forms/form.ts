// A question as a form for MCP clients, and the reply to it. The protocol allows only flat
// forms: one field for the choice or choices and one for free text. Neither is required,
// because either is enough.

import { MAX_CHOICES } from '../../core/team/question-limits.ts';
import type { Question } from '../../core/team/state.ts';
import type { FormReply } from '../../engine/person/forms.ts';

export interface FormParams {
  readonly mode: 'form';
  readonly message: string;
  readonly requestedSchema: {
    readonly type: 'object';
    readonly properties: Record<string, Record<string, unknown>>;
  };
}

const CHOICE = 'choice';
const CHOICES = 'choices';
const OTHER = 'other';

export function formOf(question: Question, problem: string | null): FormParams {
  const { id, choices, multiSelect } = question;
  // Schemas do not allow duplicates.
  const options = [...new Set(choices)].map((choice) => ({
    const: choice,
    title: choice.trim() === '' ? '(blank)' : choice,
  }));
  const text = question.question.trim() === '' ? `(question ${id} has no text)` : question.question;
  return {
    mode: 'form',
    message: problem === null ? text : `${problem}.\n\n${text}`,
    requestedSchema: {
      type: 'object',
      properties: {
        ...(multiSelect
          ? { [CHOICES]: { type: 'array', title: 'Your choices', items: { anyOf: options } } }
          : { [CHOICE]: { type: 'string', title: 'Your choice', oneOf: options } }),
        [OTHER]: { type: 'string', title: 'In your own words' },
      },
    },
  };
}

/** Turns any input from outside into a reply; the ledger validates it. */
export function replyOf(given: unknown): FormReply {
  const { action, content } = asMap(given);
  if (action === 'decline') return { action };
  if (action !== 'accept') return { action: 'cancel' };
  const { [CHOICE]: one, [CHOICES]: several, [OTHER]: other } = asMap(content);
  const chosen = [...(Array.isArray(several) ? several : [several]), one];
  return {
    action,
    choices: chosen
      .filter((choice) => typeof choice === 'string')
      .slice(0, MAX_CHOICES)
      // Clients send an empty text for an untouched field.
      .filter((choice) => choice !== ''),
    other: typeof other === 'string' ? other : null,
  };
}

function asMap(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
