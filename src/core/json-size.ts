// How many values a JSON text holds, counted without making them. Parsing a megabyte of
// text is quick, but a megabyte of brackets is half a million objects, and nothing can
// interrupt `JSON.parse`. So JSON from outside is counted before it is parsed.

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const LIST = 0x5b;
const OBJECT = 0x7b;

/** Each list, object and comma counts, which is at least the number of values. */
export function hasMoreValuesThan(most: number, text: string): boolean {
  if (text.length <= most) return false;
  let count = 1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA || code === LIST || code === OBJECT) {
      count += 1;
      if (count > most) return true;
    }
  }
  return false;
}

/** Where the closing quote is; behind the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}
