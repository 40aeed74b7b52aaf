// JSON that is safe to print: characters that control a terminal or change the direction of text are
// written as `\u009b`. The value stays the same. JSON.stringify escapes only those below U+0020.

import { escaped } from './invisible-characters.ts';

const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

export function toJsonText(value: object, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(UNSAFE, escaped);
}
