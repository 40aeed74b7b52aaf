// Makes text from files and answers safe for a terminal: it cannot move the cursor, change
// colours or hide other text.

import { escaped, showInvisible } from '../../core/invisible-characters.ts';

const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g;

/** Keeps line breaks and tabs. */
export function printable(text: string): string {
  return showInvisible(text.replace(CONTROL, escaped));
}

const MANY_BLANKS = /[\p{Zs}\t\n\u2800]{20,}/gu;

/**
 * For text that must stay on one line: line breaks become a symbol, and long runs of blanks become
 * their count, so that nothing is pushed off the screen.
 */
export function printableLine(text: string): string {
  return printable(text)
    .replace(MANY_BLANKS, (blanks) => ` [${blanks.length} blanks] `)
    .replaceAll('\n', '↵');
}
