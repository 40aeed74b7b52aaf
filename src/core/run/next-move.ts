// What an unattended run does next, given its record and what the journal says of the work. All
// budgets are asked here, before a turn is started; a turn that would not fit is not started.

import { counted } from '../wording.ts';
import type { StopReason } from './events.ts';
import { hasUnknownCost, priceOf, type RunRecord, spentMsAt } from './record.ts';

/** Of the work itself: a workflow's session, or a team. */
export type WorkState =
  | { readonly kind: 'open' }
  /** Only a person can go on. */
  | {
      readonly kind: 'waiting';
      readonly questions: readonly string[];
      /** At an entry where an agent has nothing to do. */
      readonly atEntry?: boolean;
    }
  /** At such an entry, and no question is open: what the person said is to be taken. */
  | { readonly kind: 'answered' }
  | { readonly kind: 'complete' }
  | { readonly kind: 'aborted'; readonly why: string }
  | { readonly kind: 'failed'; readonly why: string };

export type NextMove =
  /** `withinMs`: when it is to be ended; null: no bound. */
  | { readonly kind: 'turn'; readonly turn: number; readonly withinMs: number | null }
  | { readonly kind: 'wait_for_person'; readonly questions: readonly string[] }
  | { readonly kind: 'take_answer' }
  | { readonly kind: 'wait_for_quota'; readonly until: string }
  | { readonly kind: 'stop'; readonly reason: StopReason; readonly detail: string };

/** Turns in a row that may bring nothing. */
export const MAX_IDLE = 3;

const MINUTE_MS = 60_000;

export function nextMove(record: RunRecord, work: WorkState, now: string): NextMove {
  switch (work.kind) {
    case 'complete':
      return stop('complete', 'Everything is done');
    case 'aborted':
      return stop('aborted', work.why);
    case 'failed':
      return stop('failed', work.why);
    default:
  }
  if (record.stopAsked !== null) {
    const { person, reason } = record.stopAsked;
    return stop('stopped', `${person} stopped it: ${reason}`);
  }
  if (work.kind === 'waiting') return { kind: 'wait_for_person', questions: work.questions };
  // It takes no turn, so no budget is asked.
  if (work.kind === 'answered') return { kind: 'take_answer' };
  if (record.idle >= MAX_IDLE) {
    return stop('stalled', `${MAX_IDLE} turns in a row brought nothing that was accepted`);
  }
  return outOfQuota(record, now) ?? overBudget(record, now) ?? turn(record, now);
}

function stop(reason: StopReason, detail: string): NextMove {
  return { kind: 'stop', reason, detail };
}

function outOfQuota(record: RunRecord, now: string): NextMove | null {
  const until = record.turns.at(-1)?.end?.limit_until ?? null;
  if (until === null || Date.parse(until) <= Date.parse(now)) return null;
  if (record.onLimit === 'stop') {
    return stop('limit', `The agent is out of quota until ${until}`);
  }
  const left = leftMs(record, now);
  if (left !== null && Date.parse(until) - Date.parse(now) >= left) {
    return stop('limit', `The agent is out of quota until ${until}, after the minutes are up`);
  }
  return { kind: 'wait_for_quota', until };
}

function overBudget(record: RunRecord, now: string): NextMove | null {
  const { max_turns, max_usd, max_minutes } = record.budgets;
  if (max_turns !== null && record.turns.length >= max_turns) {
    return stop('budget', `Its budget of ${counted(max_turns, 'turn')} is used up`);
  }
  const left = leftMs(record, now);
  if (left !== null && left <= 0) {
    return stop('budget', `Its budget of ${counted(max_minutes ?? 0, 'minute')} is used up`);
  }
  return max_usd === null ? null : tooDear(record, max_usd);
}

function tooDear(record: RunRecord, max: number): NextMove | null {
  const left = max - record.spentUsd;
  if (hasUnknownCost(record)) {
    return stop(
      'budget',
      'A turn did not report its cost, so what is left is unknown (--max-usd none goes on without that budget)',
    );
  }
  const price = priceOf(record);
  if (left > 0 && (price ?? 0) <= left + ROUNDING) return null;
  const spent = `${dollars(record.spentUsd)} of ${dollars(max)} are spent`;
  return stop('budget', `${spent}, and the next turn may cost ${dollars(price ?? 0)}`);
}

/** Sums of fractions are off by less than this. */
const ROUNDING = 1e-9;

function turn(record: RunRecord, now: string): NextMove {
  return { kind: 'turn', turn: record.turns.length + 1, withinMs: leftMs(record, now) };
}

/** Null: its time is not bounded. */
function leftMs(record: RunRecord, now: string): number | null {
  const { max_minutes: max } = record.budgets;
  return max === null ? null : max * MINUTE_MS - spentMsAt(record, now);
}

export function dollars(amount: number): string {
  return `$${amount.toFixed(amount < 0.1 ? 4 : 2)}`;
}
