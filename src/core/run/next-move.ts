// What an unattended run does next, given its record and the state of its work. All budgets are
// checked here, before a turn or a wait for quota; a turn that would exceed one is not started.

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
    const { person, reason, abort } = record.stopAsked;
    if (abort === true) return stop('aborted', abortedBy(person, reason));
    return stop('stopped', `${person} stopped it: ${reason}`);
  }
  if (work.kind === 'waiting') return { kind: 'wait_for_person', questions: work.questions };
  // This takes no turn, so no budget is checked.
  if (work.kind === 'answered') return { kind: 'take_answer' };
  if (record.idle >= MAX_IDLE) {
    return stop('stalled', whyStalled(record));
  }
  // The budgets come first: there is nothing to wait for if no turn may follow.
  return overBudget(record, now) ?? outOfQuota(record, now) ?? turn(record, now);
}

function whyStalled({ turns }: RunRecord): string {
  const { completeRefused, said } = turns.at(-1)?.end ?? {};
  if (completeRefused !== undefined) {
    return `'complete' was refused in ${MAX_IDLE} turns in a row (${completeRefused.why})`;
  }
  const what = `Nothing was accepted in ${MAX_IDLE} turns in a row`;
  const words = said?.replace(/\s+/g, ' ').trim();
  return words === undefined ? what : `${what}. It last said: ${words}`;
}

export function abortedBy(person: string, reason: string): string {
  return `${person} aborted it: ${reason}`;
}

function stop(reason: StopReason, detail: string): NextMove {
  return { kind: 'stop', reason, detail };
}

function outOfQuota(record: RunRecord, now: string): NextMove | null {
  const until = quotaTime(record);
  if (until === null || Date.parse(until) <= Date.parse(now)) return null;
  if (Date.parse(until) - Date.parse(now) > MAX_WAIT_MS) {
    return stop('limit', `The agent is out of quota until ${until}, which is too long to wait`);
  }
  if (record.onLimit === 'stop') {
    return stop('limit', `The agent is out of quota until ${until}`);
  }
  const left = leftMs(record, now);
  if (left !== null && Date.parse(until) - Date.parse(now) >= left) {
    return stop('limit', `The agent is out of quota until ${until}, beyond the time budget`);
  }
  return { kind: 'wait_for_quota', until };
}

/** No client's quota takes longer than a month to come back. */
const MAX_WAIT_MS = 31 * 24 * 60 * MINUTE_MS;
/** So many refusals in a row are believed to name the right time. */
const MAX_PROMPT_RETRIES = 3;
const MAX_PAUSE_MINUTES = 60;

/**
 * When the next turn is worth trying; null if the last one was not refused for quota. If the times
 * that a client names turn out wrong again and again, each further turn costs money for nothing: so
 * there are longer and longer pauses.
 */
function quotaTime({ turns }: RunRecord): string | null {
  const end = turns.at(-1)?.end ?? null;
  if (end === null || end.limit_until === null) return null;
  const others = turns.findLastIndex((turn) => turn.end === null || turn.end.limit_until === null);
  const surplus = turns.length - 1 - others - MAX_PROMPT_RETRIES;
  if (surplus <= 0) return end.limit_until;
  const pause = Math.min(2 ** (surplus - 1), MAX_PAUSE_MINUTES) * MINUTE_MS;
  const earliest = Date.parse(end.at) + pause;
  return earliest <= Date.parse(end.limit_until)
    ? end.limit_until
    : new Date(earliest).toISOString();
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

/** Two digits, unless that would hide what little it is. */
export function dollars(amount: number): string {
  return `$${amount.toFixed(amount > 0 && amount < 0.01 ? 4 : 2)}`;
}
