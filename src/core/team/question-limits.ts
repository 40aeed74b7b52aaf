// Size limits of questions and answers. They come from outside by several routes, and are
// kept forever.

export const MAX_QUESTIONS = 20;
/** Per agent: a person has to read them all. */
export const MAX_OPEN = 100;
export const MAX_CHOICES = 100;
/** Bytes of a question's text; characters of a free-text answer. */
export const MAX_TEXT_LENGTH = 16 * 1024;
/** Bytes of one choice. */
export const MAX_CHOICE_LENGTH = 1024;

const MAX_NAME_LENGTH = 200;

/** A given name on one line, truncated; null if nothing is left. */
export function nameOf(given: string | null | undefined): string | null {
  const name = (given ?? '')
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .trim()
    .slice(0, MAX_NAME_LENGTH);
  return name === '' ? null : name;
}
