// Text from files and answers, made safe for a terminal: nothing in it may move the
// cursor, change colours or hide what stands beside it.

import { escaped, showInvisible } from '../core/invisible.ts';

const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g;

/** Line breaks and tabs stay. */
export function printable(text: string): string {
  return showInvisible(text.replace(CONTROL, escaped));
}

const MANY_BLANKS = /[\p{Zs}\t\n\u2800]{20,}/gu;

/**
 * For what must not push its neighbours, or its own end, off the screen: line breaks are
 * shown as a sign, many blanks by their number.
 */
export function printableLine(text: string): string {
  return printable(text)
    .replace(MANY_BLANKS, (blanks) => ` [${blanks.length} blanks] `)
    .replaceAll('\n', '↵');
}
