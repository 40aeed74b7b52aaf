// What an unattended run does next, given its record and the state of its work. All budgets are
// checked here, before a turn is started; a turn that would exceed one is not started.

import { counted } from '../wording.ts';
import type { StopReason } from './events.ts';
import { expectedCost, hasUnknownCost, type RunRecord, spentMsAt } from './record.ts';

/** The state of the work itself: a workflow's session, or a team. */
export type WorkState =
  | { readonly kind: 'open' }
  /** Only a person's answer can advance it. */
  | {
      readonly kind: 'waiting';
      readonly questions: readonly string[];
      /** At an entry where an agent has nothing to do, such as an approval. */
      readonly atEntry?: boolean;
    }
  /** At such an entry, and its question is answered: the answer has to be applied. */
  | { readonly kind: 'answered' }
  | { readonly kind: 'complete' }
  | { readonly kind: 'aborted'; readonly why: string }
  | { readonly kind: 'failed'; readonly why: string };

export type NextMove =
  /** `withinMs`: how long it may take; null: unlimited. */
  | { readonly kind: 'turn'; readonly turn: number; readonly withinMs: number | null }
  | { readonly kind: 'wait_for_person'; readonly questions: readonly string[] }
  | { readonly kind: 'take_answer' }
  | { readonly kind: 'wait_for_quota'; readonly until: string }
  | { readonly kind: 'stop'; readonly reason: StopReason; readonly detail: string };

/** After this many turns in a row without progress, a run stops. */
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
  // This takes no turn, so no budget is checked.
  if (work.kind === 'answered') return { kind: 'take_answer' };
  if (record.idle >= MAX_IDLE) {
    return stop('stalled', `Nothing was accepted in ${MAX_IDLE} turns in a row`);
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
    return stop('limit', `The agent is out of quota until ${until}, beyond the time budget`);
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
  return max_usd === null ? null : overCost(record, max_usd);
}

function overCost(record: RunRecord, max: number): NextMove | null {
  const left = max - record.spentUsd;
  if (hasUnknownCost(record)) {
    return stop(
      'budget',
      'A turn did not report its cost, so what is left is unknown (--max-usd none removes this budget)',
    );
  }
  const expected = expectedCost(record) ?? 0;
  if (left > 0 && expected <= left + ROUNDING) return null;
  const spent = `${dollars(record.spentUsd)} of ${dollars(max)} spent`;
  return stop('budget', `${spent}, and the next turn may cost ${dollars(expected)}`);
}

/** Rounding errors of sums are smaller than this. */
const ROUNDING = 1e-9;

function turn(record: RunRecord, now: string): NextMove {
  return { kind: 'turn', turn: record.turns.length + 1, withinMs: leftMs(record, now) };
}

/** What is left of its time; null: unlimited. */
function leftMs(record: RunRecord, now: string): number | null {
  const { max_minutes: max } = record.budgets;
  return max === null ? null : max * MINUTE_MS - spentMsAt(record, now);
}

export function dollars(amount: number): string {
  return `$${amount.toFixed(amount < 0.1 ? 4 : 2)}`;
}
