// What an unattended run does next, given its record and the state of its work. Budgets are checked
// before a turn or a wait for quota; a turn that would exceed one is not started.

import { singleSpaced } from '../wording.ts';
import { overBudget, timeLeftMs } from './budgets.ts';
import type { StopReason } from './events.ts';
import { MINUTE_MS } from './quota.ts';
import { quotaUntil, type RunRecord } from './record.ts';

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
  const over = overBudget(record, now);
  if (over !== null) return stop('budget', over);
  const turn = { turn: record.turns.length + 1, withinMs: timeLeftMs(record, now) };
  return outOfQuota(record, now) ?? { kind: 'turn', ...turn };
}

function whyStalled({ turns }: RunRecord): string {
  const { completeRefused, said } = turns.at(-1)?.end ?? {};
  if (completeRefused !== undefined) {
    return `'complete' was refused in ${MAX_IDLE} turns in a row (${completeRefused.why})`;
  }
  const what = `Nothing was accepted in ${MAX_IDLE} turns in a row`;
  return said === undefined ? what : `${what}. It last said: ${singleSpaced(said)}`;
}

export function abortedBy(person: string, reason: string): string {
  return `${person} aborted it: ${reason}`;
}

function stop(reason: StopReason, detail: string): NextMove {
  return { kind: 'stop', reason, detail };
}

function outOfQuota(record: RunRecord, now: string): NextMove | null {
  const until = quotaUntil(record);
  if (until === null || Date.parse(until) <= Date.parse(now)) return null;
  if (Date.parse(until) - Date.parse(now) > MAX_WAIT_MS) {
    return stop('limit', `The agent is out of quota until ${until}, which is too long to wait`);
  }
  if (record.onLimit === 'stop') {
    return stop('limit', `The agent is out of quota until ${until}`);
  }
  const left = timeLeftMs(record, now);
  if (left !== null && Date.parse(until) - Date.parse(now) >= left) {
    return stop('limit', `The agent is out of quota until ${until}, beyond the time budget`);
  }
  return { kind: 'wait_for_quota', until };
}

/** No client's quota takes longer than a month to come back. */
const MAX_WAIT_MS = 31 * 24 * 60 * MINUTE_MS;
