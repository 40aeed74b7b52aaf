// The words for how a run stands, the same wherever a person reads them.

import type { Run, RunState } from './run.ts';

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

/** How it stands now, or how it ended. */
export function standingOf({ status, state }: Pick<Run, 'status' | 'state'>): string {
  return status === 'active' ? RUN_STATE_WORDS[state ?? 'working'] : ENDED_WORDS[status];
}

/** What a drawing says at the step where the run is; null where its mark says it all. */
export function noteAtStep({ status, state }: Pick<Run, 'status' | 'state'>): string | null {
  if (status === 'aborted') return 'stopped here';
  const isMoving = state === null || state === 'working' || state === 'gate_running';
  return isMoving ? null : RUN_STATE_WORDS[state];
}
