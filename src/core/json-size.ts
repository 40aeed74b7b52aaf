// Counts the values in a JSON text without creating them. Parsing a megabyte of text is
// quick, but a megabyte of brackets is half a million objects, and nothing can interrupt
// `JSON.parse`. So JSON from outside is counted before it is parsed.

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const LIST = 0x5b;
const OBJECT = 0x7b;

/** Counts each list, object and comma, which is at least the number of values. */
export function hasMoreValuesThan(max: number, text: string): boolean {
  if (text.length <= max) return false;
  const isValue = (code: number) => code === COMMA || code === LIST || code === OBJECT;
  return countOutsideStrings(text, isValue, max) >= max;
}

/** How many members its objects have as written: a key that is there twice counts twice. */
export function membersWrittenIn(text: string): number {
  return countOutsideStrings(text, (code) => code === COLON, Number.POSITIVE_INFINITY);
}

function countOutsideStrings(
  text: string,
  isCounted: (code: number) => boolean,
  enough: number,
): number {
  let count = 0;
  for (let at = 0; at < text.length && count < enough; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (isCounted(code)) count += 1;
  }
  return count;
}

/** The index of the closing quote; the text's length if there is none. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}
