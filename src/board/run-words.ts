// The words for how a run stands, in the terminal, in drawings and in exported files. The page has
// labels of its own (`page/front/parts/run-state.tsx`).

import { MINUTE_MS } from '../core/run/quota.ts';
import { counted } from '../core/wording.ts';
import type { Budget, Run, RunState } from './run.ts';

export const RUN_STATE_WORDS: Readonly<Record<RunState, string>> = {
  waiting_for_person: 'waiting for you',
  gate_running: 'being checked',
  orphaned: 'agent gone',
  stalled: 'stalled',
  working: 'working',
};

export const ENDED_WORDS: Readonly<Record<Exclude<Run['status'], 'active'>, string>> = {
  completed: 'done',
  aborted: 'aborted',
};

/** What a team says of itself, as a person reads it. */
export function teamStatusInWords(status: string): string {
  return status === 'waiting-for-human' ? 'waiting for you' : status.replaceAll('-', ' ');
}

/** Its runner has stopped it, or is gone: `deepwork run --resume` goes on with it. */
export function isStopped({ state, unattended }: Pick<Run, 'state' | 'unattended'>): boolean {
  return unattended !== undefined && (state === 'orphaned' || state === 'stalled');
}

type Stop = Pick<
  NonNullable<NonNullable<Run['unattended']>['stopped']>,
  'reason' | 'at' | 'limit_until'
>;

/**
 * What to type to continue it. A used-up budget is raised to what was spent plus the same amount
 * again, time also by what the wait for quota takes; a cost budget is removed if a turn did not
 * report its cost.
 */
export function resumeCommand(
  { session_id, budgets }: Pick<Run, 'session_id' | 'budgets'>,
  stop: Stop | null,
): string {
  const command = `deepwork run --resume ${session_id}`;
  if (stop?.reason === 'limit')
    return [command, '--on-limit wait', ...timeToWait(stop, budgets)].join(' ');
  if (budgets === undefined) return command;
  const { turns, minutes, usd } = budgets;
  const options = [
    ...(isUsedUp(turns) ? [`--max-turns ${allowing(turns)}`] : []),
    ...(isUsedUp(minutes) ? [`--max-minutes ${Math.ceil(allowing(minutes))}`] : []),
  ];
  // With some left, it is the price of the next turn that does not fit.
  const isPrice = stop?.reason === 'budget' && options.length === 0;
  const isUsd = usd.max !== null && (usd.spent === null || isUsedUp(usd) || isPrice);
  return [command, ...options, ...(isUsd ? [`--max-usd ${dollarsFor(usd)}`] : [])].join(' ');
}

function timeToWait({ at, limit_until: until }: Stop, budgets: Run['budgets']): string[] {
  const { left, ...minutes } = budgets?.minutes ?? { max: null, spent: null, left: null };
  const wait = until === undefined ? 0 : (Date.parse(until) - Date.parse(at)) / MINUTE_MS;
  if (left === null || wait < left) return [];
  return [`--max-minutes ${Math.ceil(allowing(minutes) + wait)}`];
}

/** Minutes are rounded to hundredths. */
const ROUNDED = 0.01;

function isUsedUp({ left }: Budget): boolean {
  return left !== null && left < ROUNDED;
}

function allowing({ max, spent }: Omit<Budget, 'left'>): number {
  return (spent ?? 0) + (max ?? 1);
}

/** Doubled, because no turn is expected to cost more than all turns so far. */
function dollarsFor({ max, spent }: Budget): string {
  if (spent === null) return 'none';
  const cents = Math.ceil(200 * Math.max(max ?? 1, spent) - ROUNDED);
  return String(cents / 100);
}

/** A team said that it is complete; `why` says what did not agree. */
export function completeRefusedWords(why: string): string {
  return `'complete' refused: ${why}`;
}

/** Where the work of a run is whose worktree was removed. */
export function workOnBranch(branch: string): string {
  return `The work is on branch ${branch}: git merge ${branch}`;
}

type Standing = Pick<Run, 'status' | 'state' | 'unattended' | 'at_terminal'>;

/** How it stands now, or how it ended. */
export function standingOf(run: Standing): string {
  const { status, state, unattended, at_terminal } = run;
  if (status !== 'active') return ENDED_WORDS[status];
  if (unattended?.limit_until != null) return 'out of quota';
  if (isStopped(run)) return 'stopped';
  // Each `deepwork call` is a process of its own, so no agent is missing.
  return state === 'orphaned' && at_terminal ? 'left open' : RUN_STATE_WORDS[state ?? 'working'];
}

/** What a drawing says at the step where the run is; null where its mark says it all. */
export function noteAtStep(run: Standing): string | null {
  if (run.status === 'aborted') return 'stopped here';
  const { state } = run;
  return state === null || state === 'working' || state === 'gate_running' ? null : standingOf(run);
}

export function itemsInWords({ accepted, of }: NonNullable<Run['item']>): string {
  return `${accepted} of ${counted(of, 'item')} accepted`;
}

/** The same where only one moment is drawn: then it need not keep its size, and can say more. */
export function notesAtMoment(run: Standing & Pick<Run, 'pass' | 'item'>): string[] {
  const { state, pass, item } = run;
  const note = state === 'gate_running' ? standingOf(run) : noteAtStep(run);
  return [
    ...(pass === undefined ? [] : [`pass ${pass}`]),
    ...(item === undefined ? [] : [itemsInWords(item)]),
    ...(note === null ? [] : [note]),
  ];
}

/** After all runs were pruned. */
export const ONLY_ARCHIVED = 'There are no runs but those in .deepwork/archive';
