// The members of a JSON object with their original text. Parsing and serializing a value can
// change it (a long number loses digits, `1.0` becomes `1`); so fields that belong to others
// are copied as text.
//
// Anyone may have written the text. It is scanned by index: a backtracking pattern would
// exhaust the stack on a long text.

import { endOfString } from '../json-size.ts';

/** No real state is nested deeper, and code that walks the values is recursive. */
const MAX_DEPTH = 256;

const QUOTE = 0x22;
const COMMA = 0x2c;
const LIST = 0x5b;
const LIST_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;

/**
 * Name to text; of equal names, the last. Throws if a value is nested too deeply, or if the
 * text is not a JSON object as far as the scan can tell.
 */
export function jsonMembersOf(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let at = skip(text, text.indexOf('{') + 1);
  while (text.charCodeAt(at) !== OBJECT_END) {
    const nameEnd = afterString(text, at);
    const name = JSON.parse(text.slice(at, nameEnd)) as string;
    const from = skip(text, skip(text, nameEnd) + 1);
    const to = endOfValue(text, from);
    members.set(name, text.slice(from, to));
    at = skip(text, to);
    if (text.charCodeAt(at) === COMMA) at = skip(text, at + 1);
  }
  return members;
}

function endOfValue(text: string, from: number): number {
  const first = text.charCodeAt(from);
  if (first === QUOTE) return afterString(text, from);
  if (first !== OBJECT && first !== LIST) return endOfScalar(text, from);
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = afterString(text, at) - 1;
    else if (code === OBJECT || code === LIST) depth += 1;
    else if (code === OBJECT_END || code === LIST_END) depth -= 1;
    if (depth > MAX_DEPTH) throw new RangeError('The JSON is nested too deep');
    if (depth === 0) return at + 1;
  }
  throw notAnObject();
}

function afterString(text: string, from: number): number {
  const end = endOfString(text, from);
  if (text.charCodeAt(from) !== QUOTE || end >= text.length) throw notAnObject();
  return end + 1;
}

function endOfScalar(text: string, from: number): number {
  let at = from;
  while (at < text.length && !endsScalar(text.charCodeAt(at))) at += 1;
  if (at === from) throw notAnObject();
  return at;
}

function skip(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function endsScalar(code: number): boolean {
  return code === COMMA || code === LIST_END || code === OBJECT_END || isSpace(code);
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function notAnObject(): SyntaxError {
  return new SyntaxError('The text is not a JSON object');
}
