// The parts of JSON that take more than a look at one character. Looking for the end of
// one makes nothing; reading it then is left to what the language has.

export interface ScanFault {
  readonly message: string;
  readonly at: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
const ESCAPABLE = '"\\/bfnrt';
const UNICODE = 0x75;

/** Where the string that begins at an offset ends; as a negative number if it has escapes. */
export function scanString(text: string, start: number): number | ScanFault {
  let escaped = false;
  let at = start + 1;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return escaped ? -(at + 1) : at + 1;
    if (code === BACKSLASH) {
      const length = escapeLength(text, at);
      if (length === 0) return { message: 'there is no such escape', at };
      at += length;
      escaped = true;
    } else if (code >= FIRST_PRINTABLE) at += 1;
    else if (at >= text.length) return { message: 'this string has no end', at: start };
    else if (code === 0x0a || code === 0x0d) {
      return { message: 'a string must end on the line on which it begins', at };
    } else return { message: 'a control character in a string must be escaped', at };
  }
}

/** The string from `start` to what `scanString` said of it. */
export function readString(text: string, start: number, end: number): string {
  if (end > 0) return text.slice(start + 1, end - 1);
  // Every escape has been checked, so the built-in parser can only agree.
  return String(JSON.parse(text.slice(start, -end)));
}

function escapeLength(text: string, at: number): number {
  if (text.charCodeAt(at + 1) === UNICODE) {
    for (let digit = at + 2; digit < at + 6; digit += 1) {
      if (!isHexDigit(text.charCodeAt(digit))) return 0;
    }
    return 6;
  }
  return at + 1 < text.length && ESCAPABLE.includes(text.charAt(at + 1)) ? 2 : 0;
}

/** Where the number that begins at an offset ends; null if none does. */
export function scanNumber(text: string, start: number): number | null {
  const whole = text.charCodeAt(start) === 0x2d ? start + 1 : start;
  let end = text.charCodeAt(whole) === 0x30 ? whole + 1 : skipDigits(text, whole);
  if (end === whole) return null;
  if (text.charCodeAt(end) === 0x2e) {
    const fraction = skipDigits(text, end + 1);
    if (fraction === end + 1) return end;
    end = fraction;
  }
  if ((text.charCodeAt(end) | 0x20) !== 0x65) return end;
  const sign = text.charCodeAt(end + 1);
  const digits = sign === 0x2b || sign === 0x2d ? end + 2 : end + 1;
  const exponent = skipDigits(text, digits);
  return exponent === digits ? end : exponent;
}

function skipDigits(text: string, start: number): number {
  let at = start;
  while (isDigit(text.charCodeAt(at))) at += 1;
  return at;
}

/** Where the list or object that begins at an offset ends, by its brackets alone; null if nowhere. */
export function skipNested(text: string, start: number): number | null {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = scanString(text, at);
      if (typeof end === 'object') return null;
      at = Math.abs(end) - 1;
    } else if (code === 0x5b || code === 0x7b) depth += 1;
    else if (code === 0x5d || code === 0x7d) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return null;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isHexDigit(code: number): boolean {
  const lower = code | 0x20;
  return isDigit(code) || (lower >= 0x61 && lower <= 0x66);
}
