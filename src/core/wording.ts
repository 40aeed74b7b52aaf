// How values from outside appear in messages: in full if they are short, else truncated, so
// that they do not bury the message.

import { escaped, showInvisible } from './invisible-characters.ts';

const MAX_SHOWN = 200;

export function shown(value: string): string {
  return shownUpTo(value, MAX_SHOWN);
}

/** For values that need more space than a name. */
export function shownUpTo(value: string, max: number): string {
  return value.length <= max ? value : `${value.slice(0, max)}…`;
}

const MAX_LINES = 10;

/** The end of what a program printed, where it says what is wrong; `…` stands for what was cut. */
export function lastLines(text: string, max: number): string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const shown: string[] = [];
  let room = max;
  for (const line of lines.slice(-MAX_LINES).reverse()) {
    if (line.length > room && shown.length > 0) break;
    shown.unshift(shownUpTo(line.trimEnd(), max));
    room -= line.length;
  }
  return shown.length < lines.length ? ['…', ...shown] : shown;
}

/** On one line, with single spaces between the words. */
export function singleSpaced(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** The escapes of control characters in a one-line message. */
const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

export function hasControl(text: string): boolean {
  return text.search(CONTROL) !== -1;
}

/** With everything escaped that breaks the line, or that a reader cannot see. */
export function onOneLine(text: string): string {
  return showInvisible(text.replace(CONTROL, (each) => NAMED[each] ?? escaped(each)));
}

/** The type of a JSON value, by its name in Python, as the contract has it. */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'string') return 'str';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  return 'dict';
}

/** `1 run`, `2 runs`. */
export function counted(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`;
}

/** `once`, `twice`, `3 times`. */
export function howOften(count: number): string {
  return count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`;
}

/** The times in a recorded sentence. People are shown them by their own clock. */
export const TIMES = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
