// A question as a form that MCP clients can show, and the reply to one. Forms are flat by
// the protocol's rule: one field for the choice or choices, one for a person's own words,
// and none is required, because either will do.

import { MAX_CHOICES } from '../../core/team/question-limits.ts';
import type { Question } from '../../core/team/state.ts';
import type { FormReply } from '../../engine/forms.ts';

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
  // Schemas do not allow what is there twice.
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

/** Comes from outside: whatever it is, it becomes a reply, and the ledger judges it. */
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
      // Clients send an empty text for a field that was left alone.
      .filter((choice) => choice !== ''),
    other: typeof other === 'string' ? other : null,
  };
}

function asMap(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
