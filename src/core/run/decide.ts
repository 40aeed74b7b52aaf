// Whether an event of an unattended run may be recorded. A run belongs to one process at a time;
// events of a process that has been replaced are refused.

import { commit, refused, unchanged } from '../decision.ts';
import { refuse } from '../refusal.ts';
import type { Liveness } from '../session/ownership.ts';
import type { RunDecision, RunEvent, RunStarted } from './events.ts';
import { abortedBy } from './next-move.ts';
import { isOver, type RunRecord } from './record.ts';

export function decideRunStart(
  record: RunRecord | null,
  event: RunStarted,
  livenessOf: (process: string) => Liveness,
): RunDecision {
  if (record === null) return commit(event);
  if (record.stop === null && livenessOf(record.process) !== 'gone') {
    return refused(
      refuse(
        'run_active',
        `Run ${record.id} is already running (${record.process.split('/')[1] ?? 'elsewhere'} is its process)`,
        'wait until it ends, or stop it there with Ctrl-C.',
      ),
    );
  }
  return commit(event);
}

/** For events recorded by the process that runs it. */
export function decideRunEvent(
  record: RunRecord | null,
  process: string,
  event: RunEvent,
): RunDecision {
  if (record?.process === process && record.stop === null) return commit(event);
  const [code, why] =
    record === null
      ? ['run_gone', 'The journal of this run is gone']
      : record.process === process
        ? ['run_stopped', 'This run has stopped already']
        : ['run_taken_over', 'This run was taken over by another process'];
  return refused(refuse(code, why, record === null ? LOOK_AT_RUNS : lookAtHistory(record.id)));
}

/** The next steps of a person, at a terminal or on the page. */
export const LOOK_AT_RUNS = 'look at the list of runs: deepwork status --all';

export function lookAtHistory(id: string): string {
  return `look at its history: deepwork history ${id}`;
}

/** What a person does to a run. */
export interface ByPerson {
  readonly at: string;
  readonly person: string;
  readonly reason: string;
}

export function decideStopAsked(
  record: RunRecord | null,
  command: ByPerson,
  livenessOf: (process: string) => Liveness,
): RunDecision {
  if (record === null || record.stop !== null || livenessOf(record.process) === 'gone') {
    return refused(
      refuse(
        'run_not_active',
        'This run is not running unattended',
        record === null
          ? LOOK_AT_RUNS
          : `to end it for good: deepwork abort ${record.id} --reason "…"`,
      ),
    );
  }
  if (record.stopAsked !== null) return unchanged();
  const { at, person, reason } = command;
  return commit({ type: 'stop_asked', at, data: { person, reason } });
}

/**
 * A person ends the run of a team for good. The process that runs it does that, if there is one. A
 * run of a workflow ends with its session instead.
 */
export function decideTeamAbort(
  record: RunRecord,
  { at, person, reason }: ByPerson,
  livenessOf: (process: string) => Liveness,
): RunDecision {
  const { id, stop, stopAsked, process } = record;
  if (isOver(stop)) {
    return refused(refuse('run_ended', `Run ${id} has ended. ${stop.detail}.`, lookAtHistory(id)));
  }
  if (stop === null && livenessOf(process) !== 'gone') {
    if (stopAsked?.abort === true) return unchanged();
    return commit({ type: 'stop_asked', at, data: { person, reason, abort: true } });
  }
  return commit({
    type: 'run_stopped',
    at,
    data: {
      reason: 'aborted',
      detail: abortedBy(person, reason),
      ...(stop === null && { process_gone: true }),
    },
  });
}
