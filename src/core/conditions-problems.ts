// How conditions and rules word what is wrong with them. Definitions come from
// strangers, so a quoted name is cut to size and the list of problems has an end.

import type { Problem } from './problem.ts';

/** As many as an answer to a caller may carry; more would help nobody. */
export const MAX_PROBLEMS = 100;
const MAX_QUOTE_LENGTH = 120;

export function report<P extends Problem>(problems: P[], problem: P): void {
  if (problems.length < MAX_PROBLEMS) problems.push(problem);
}

export function quote(text: string): string {
  return text.length <= MAX_QUOTE_LENGTH ? text : `${text.slice(0, MAX_QUOTE_LENGTH)}…`;
}

/** The JSON word for what a value is. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (value === undefined) return 'nothing';
  return typeof value;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
