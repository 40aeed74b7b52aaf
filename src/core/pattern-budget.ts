// Tests values against the patterns of declared variables. Anyone may have written these: each has
// a deadline, and all patterns of a file, or all of a call, share a time budget, because a hundred
// that each just miss their deadline would add up to half a minute.

import { matches } from './rules/regex.ts';
import { runWithinProcessorTime } from './rules/run-within.ts';

export interface PatternBudget {
  readonly total: number;
  /** What is left, of processor time. */
  milliseconds: number;
}

const MAX_PATTERN_MILLISECONDS = 100;
const MAX_CALL_MILLISECONDS = 2000;

export function openPatternBudget(milliseconds = MAX_CALL_MILLISECONDS): PatternBudget {
  return { total: milliseconds, milliseconds };
}

export function isSpent({ milliseconds }: PatternBudget): boolean {
  return milliseconds <= 0;
}

export type TestedPattern =
  | { readonly kind: 'tested'; readonly matches: boolean }
  | { readonly kind: 'interrupted'; readonly reason: string }
  /** Nothing was left of the budget. */
  | { readonly kind: 'not_tested' };

export function* testPattern(
  regex: RegExp,
  text: string,
  budget: PatternBudget,
): Generator<undefined, TestedPattern, undefined> {
  if (isSpent(budget)) return { kind: 'not_tested' };
  const ran = yield* runWithinProcessorTime(MAX_PATTERN_MILLISECONDS, () => {
    // To set up a deadline takes longer than most patterns, of which there may be thousands.
    const before = process.cpuUsage();
    const isMatch = matches(regex, text);
    return { isMatch, used: millisecondsSince(before) };
  });
  budget.milliseconds -= ran.kind === 'done' ? ran.value.used : MAX_PATTERN_MILLISECONDS;
  return ran.kind === 'done' ? { kind: 'tested', matches: ran.value.isMatch } : ran;
}

function millisecondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
