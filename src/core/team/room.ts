// How much of the mail one answer holds. No agent reads more than a megabyte at once, and
// making and sending a hundred thousand messages would keep all others waiting.

export interface Room {
  /** Whether another text fits in; the first always does. */
  takes(text: string): boolean;
}

const MAX_CHARACTERS = 1024 * 1024;
/** What a message takes besides its text. */
const ITEM_CHARACTERS = 200;

export function openRoom(): Room {
  let left = MAX_CHARACTERS;
  let first = true;
  return {
    takes(text) {
      left -= text.length + ITEM_CHARACTERS;
      const fits = first || left >= 0;
      first = false;
      return fits;
    },
  };
}
