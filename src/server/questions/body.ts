// What a person sent: as JSON with the texts of the choices, or as a form with their
// places in the list (a browser would change line breaks inside of texts).

import { MOST_CHOICES } from '../../core/team/question-limits.ts';
import type { Asked, GivenAnswer } from '../../core/team/state.ts';

export interface Said extends GivenAnswer {
  readonly by: string | null;
}

/** A string says what is wrong. */
export function readJsonBody(text: string): Said | string {
  let value: unknown;
  try {
    value = JSON.parse(text === '' ? '{}' : text);
  } catch {
    return 'the body is not JSON';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return 'the body must be an object: {"choices": […], "other": "…", "by": "…"}';
  }
  const { choices = [], other = null, by = null } = value as Record<string, unknown>;
  if (!Array.isArray(choices) || !choices.every((each) => typeof each === 'string')) {
    return "'choices' must be a list of texts";
  }
  if (choices.length > MOST_CHOICES) return `'choices' has more than ${MOST_CHOICES} items`;
  if (other !== null && typeof other !== 'string') return "'other' must be a text";
  if (by !== null && typeof by !== 'string') return "'by' must be a text";
  return { choices, other, by };
}

export function readFormBody(text: string, { choices }: Asked): Said | string {
  const fields = new URLSearchParams(text);
  const options = [...new Set(choices)];
  const chosen = fields
    .getAll('choice')
    .map((place) => (/^\d{1,4}$/.test(place) ? options[Number(place)] : undefined));
  if (!chosen.every((choice) => choice !== undefined)) return 'there is no such choice';
  return {
    choices: chosen,
    other: fields.get('other')?.replaceAll('\r\n', '\n') ?? null,
    by: fields.get('by'),
  };
}
