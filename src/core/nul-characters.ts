// Finds NUL characters in JSON values. No environment of a command can hold one, and programs end
// a text there, so that what is judged would differ from what is used. Works without recursion, so
// that hostile nesting cannot exhaust the stack.

import { onOneLine, shown } from './wording.ts';

export function hasNul(value: unknown): boolean {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const each = open.pop();
    if (typeof each === 'string') {
      if (each.includes('\0')) return true;
    } else if (typeof each === 'object' && each !== null) {
      for (const [name, member] of Object.entries(each)) open.push(name, member);
    }
  }
  return false;
}

/** One line for each variable of a context that has a NUL, by name. */
export function nulsInContext(context: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(context)
    .filter((entry) => hasNul(entry))
    .map(([name]) => `Context '${shown(onOneLine(name))}': must be without NUL characters`)
    .sort();
}
