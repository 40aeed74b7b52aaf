// What a person sent: JSON with the texts of the choices, or the page's form with their
// indexes (a browser would change line breaks in texts). The page is one form, so any button
// submits the fields of every question.

import { MAX_CHOICES, nameOf } from '../../core/team/question-limits.ts';
import type { GivenAnswer, Question } from '../../core/team/state.ts';

export interface SentAnswer extends GivenAnswer {
  readonly by: string | null;
}

/** A string is the problem. */
export function readJsonBody(text: string): SentAnswer | string {
  let value: unknown;
  try {
    value = JSON.parse(text === '' ? '{}' : text);
  } catch {
    return 'the body is not JSON';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return 'the body must be an object: {"choices": […], "other": "…", "by": "…"}';
  }
  const { choices = [], text: words = null, by = null } = value as Record<string, unknown>;
  // The page calls it `text`, and sends an empty one for none.
  const { other = words === '' ? null : words } = value as Record<string, unknown>;
  if (!Array.isArray(choices) || !choices.every((each) => typeof each === 'string')) {
    return "'choices' must be a list of texts";
  }
  if (choices.length > MAX_CHOICES) return `'choices' has more than ${MAX_CHOICES} items`;
  if (other !== null && typeof other !== 'string') return "'other' must be a text";
  if (by !== null && typeof by !== 'string') return "'by' must be a text";
  return { choices, other, by };
}

/** The fields of one question. */
export interface AnswerDraft {
  /** Indexes of the marked choices, as sent. */
  readonly indexes: readonly string[];
  readonly other: string;
}

export interface PageForm {
  readonly by: string | null;
  draft(id: string): AnswerDraft;
}

export function fieldName(id: string, field: 'choice' | 'other'): string {
  return `${id}.${field}`;
}

/** The page sends what was typed into every question. */
const MAX_BODY_LENGTH = 1024 * 1024;
/** More than any page has: its fields are the marked choices and a text for each question. */
const MAX_FIELDS = 10_000;

/** Checked before parsing. */
export function isTooLarge(text: string, kind: 'json' | 'form'): boolean {
  if (text.length > MAX_BODY_LENGTH) return true;
  if (kind === 'json') return false;
  let fields = 1;
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) fields++;
  return fields > MAX_FIELDS;
}

export function readForm(text: string): PageForm {
  // Grouped once, because the page reads the fields of each question.
  const fields = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const values = fields.get(name);
    if (values === undefined) fields.set(name, [value]);
    else values.push(value);
  }
  return {
    by: nameOf(fields.get('by')?.[0]),
    draft: (id) => ({
      indexes: fields.get(fieldName(id, 'choice')) ?? [],
      other: fields.get(fieldName(id, 'other'))?.[0]?.replaceAll('\r\n', '\n') ?? '',
    }),
  };
}

export function hasDraft({ indexes, other }: AnswerDraft): boolean {
  return indexes.length > 0 || other.trim() !== '';
}

/** The answer to one question. A string is the problem. */
export function answerIn(form: PageForm, { id, choices }: Question): SentAnswer | string {
  const { indexes, other } = form.draft(id);
  const options = [...new Set(choices)];
  const chosen = indexes.map((index) =>
    /^\d{1,4}$/.test(index) ? options[Number(index)] : undefined,
  );
  if (!chosen.every((choice) => choice !== undefined)) return 'there is no such choice';
  return { choices: chosen, other, by: form.by };
}
