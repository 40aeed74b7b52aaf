// How problems of conditions and rules are worded. Definitions are untrusted, so quoted names
// are truncated and the list of problems is bounded.

import type { Fault, IssueCode, Path } from './issue.ts';
import { shownUpTo } from './wording.ts';

/** A longer list would not help the caller. */
export const MAX_PROBLEMS = 100;
const MAX_QUOTE_LENGTH = 120;

export function report(problems: Fault[], code: IssueCode, path: Path, message: string): void {
  if (problems.length < MAX_PROBLEMS) problems.push({ code, path, message });
}

/** Reports a problem of one part of the tree, or of one of its fields. */
export type ReportIn = (code: IssueCode, message: string, field?: string) => null;

export function reportIn(problems: Fault[], path: Path): ReportIn {
  return (code, message, field) => {
    report(problems, code, field === undefined ? path : [...path, field], message);
    return null;
  };
}

export function shorten(text: string): string {
  return shownUpTo(text, MAX_QUOTE_LENGTH);
}

/** The JSON name for a value's type. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (value === undefined) return 'nothing';
  return typeof value;
}
