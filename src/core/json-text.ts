// JSON that is safe to print: characters that control a terminal and invisible ones are written as
// `\u009b`, those beyond U+FFFF as two. The value stays the same. JSON.stringify escapes only those below U+0020.

import { escaped, replaceInvisible } from './invisible-characters.ts';

const CONTROL = /[\u007f-\u009f\u2028\u2029]/g;

export function toJsonText(value: object, indent?: number): string {
  const text = JSON.stringify(value, null, indent).replace(CONTROL, escaped);
  return replaceInvisible(text, (each) => each.split('').map(escaped).join(''));
}
