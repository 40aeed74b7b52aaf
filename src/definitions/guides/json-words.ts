// How the reader of JSON words what it met instead of what it needed.

import { cut, onOneLine } from '../wording.ts';

const MAX_WORD_LENGTH = 120;
const MAX_QUOTE_LENGTH = 20;

/** A name of the file in a message: on one line, cut to size. */
export function wordFor(name: string): string {
  return onOneLine(cut(name, MAX_WORD_LENGTH));
}

/** What stands at an offset, with a hint where the mistake is a common one. */
export function found(text: string, at: number): string {
  if (at >= text.length) return 'but the file ends';
  if (text.startsWith('//', at) || text.startsWith('/*', at)) return 'but JSON has no comments';
  if (text[at] === "'") return 'but JSON knows only double quotes';
  const word = /[\w$.+-]{1,40}|./suy;
  word.lastIndex = at;
  return `but found ${onOneLine(cut(word.exec(text)?.[0] ?? '', MAX_QUOTE_LENGTH))}`;
}
