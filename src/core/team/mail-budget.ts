// How much mail one answer contains. No agent reads more than a megabyte at once, and sending
// a hundred thousand messages would block everyone else.

export interface MailBudget {
  /** Takes the size of another text from the budget; false if it does not fit. The first always fits. */
  take(text: string): boolean;
}

const MAX_CHARACTERS = 1024 * 1024;
/** The overhead of a message besides its text. */
const ITEM_CHARACTERS = 200;

export function openMailBudget(): MailBudget {
  let left = MAX_CHARACTERS;
  let first = true;
  return {
    take(text) {
      left -= text.length + ITEM_CHARACTERS;
      const fits = first || left >= 0;
      first = false;
      return fits;
    },
  };
}
