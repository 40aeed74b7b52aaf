// The words for how a run stands, the same wherever a person reads them.

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

/** What to type to go on with it: a budget that is used up is doubled, one that cannot be kept goes. */
export function resumeCommand(
  { session_id, budgets }: Pick<Run, 'session_id' | 'budgets'>,
  reason: string | null,
): string {
  const command = `deepwork run --resume ${session_id}`;
  if (reason !== 'budget' || budgets === undefined) return command;
  const { turns, minutes, usd } = budgets;
  const isUsedUp = ({ max, left }: Budget) => max !== null && left === 0;
  const options = [
    ...(isUsedUp(turns) ? [`--max-turns ${2 * (turns.max ?? 1)}`] : []),
    ...(isUsedUp(minutes) ? [`--max-minutes ${2 * (minutes.max ?? 1)}`] : []),
  ];
  // With some left, it is the price of the next turn that does not fit.
  const isUsd = usd.max !== null && (usd.spent === null || options.length === 0);
  const dollars = usd.spent === null ? 'none' : 2 * (usd.max ?? 1);
  return [command, ...options, ...(isUsd ? [`--max-usd ${dollars}`] : [])].join(' ');
}

type Standing = Pick<Run, 'status' | 'state' | 'unattended'>;

/** How it stands now, or how it ended. */
export function standingOf(run: Standing): string {
  const { status, state, unattended } = run;
  if (status !== 'active') return ENDED_WORDS[status];
  if (unattended?.limit_until != null) return 'out of quota';
  return isStopped(run) ? 'stopped' : RUN_STATE_WORDS[state ?? 'working'];
}

/** What a drawing says at the step where the run is; null where its mark says it all. */
export function noteAtStep(run: Standing): string | null {
  if (run.status === 'aborted') return 'stopped here';
  const { state } = run;
  return state === null || state === 'working' || state === 'gate_running' ? null : standingOf(run);
}

/** The same where only one moment is drawn: then it need not keep its size, and can say more. */
export function notesAtMoment(run: Standing & Pick<Run, 'pass' | 'item'>): string[] {
  const { state, pass, item } = run;
  const note = state === 'gate_running' ? standingOf(run) : noteAtStep(run);
  return [
    ...(pass === undefined ? [] : [`pass ${pass}`]),
    ...(item === undefined ? [] : [`item ${item.index} of ${item.of}`]),
    ...(note === null ? [] : [note]),
  ];
}
