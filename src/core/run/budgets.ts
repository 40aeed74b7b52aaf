// The budgets of an unattended run: whether another turn fits into what is left of its turns, its
// time and its money.

import { counted } from '../wording.ts';
import { MINUTE_MS } from './quota.ts';
import { expectedCost, hasUnknownCost, type RunRecord, spentMsAt } from './record.ts';

/** Rounding errors of sums are smaller than this. */
const ROUNDING = 1e-9;

/** Which budget is used up; null if another turn may begin. */
export function overBudget(record: RunRecord, now: string): string | null {
  const { max_turns, max_usd, max_minutes } = record.budgets;
  if (max_turns !== null && record.turns.length >= max_turns) {
    return `Its budget of ${counted(max_turns, 'turn')} is used up`;
  }
  const left = timeLeftMs(record, now);
  if (left !== null && left <= 0) {
    return `Its budget of ${counted(max_minutes ?? 0, 'minute')} is used up`;
  }
  return max_usd === null ? null : overCost(record, max_usd);
}

function overCost(record: RunRecord, max: number): string | null {
  if (hasUnknownCost(record)) {
    return 'A turn did not report its cost, so what is left is unknown (--max-usd none removes this budget)';
  }
  const left = max - record.spentUsd;
  const expected = expectedCost(record) ?? 0;
  if (left > 0 && expected <= left + ROUNDING) return null;
  const spent = `${dollars(record.spentUsd)} of ${dollars(max)} spent`;
  return `${spent}, and the next turn may cost ${dollars(expected)}`;
}

/** What is left of its time; null: unlimited. */
export function timeLeftMs(record: RunRecord, now: string): number | null {
  const { max_minutes: max } = record.budgets;
  return max === null ? null : max * MINUTE_MS - spentMsAt(record, now);
}

/** Two digits, unless that would hide what little it is. */
export function dollars(amount: number): string {
  return `$${amount.toFixed(amount > 0 && amount < 0.01 ? 4 : 2)}`;
}
