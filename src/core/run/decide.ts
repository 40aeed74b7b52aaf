// Whether an event of an unattended run may be recorded. A run belongs to one process at a time;
// events of a process that has been replaced are refused.

import { commit, refused, unchanged } from '../decision.ts';
import { refuse } from '../refusal.ts';
import type { Liveness } from '../session/ownership.ts';
import type { RunDecision, RunEvent, RunStarted } from './events.ts';
import type { RunRecord } from './record.ts';

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
  if (record === null || record.process !== process || record.stop !== null) {
    return refused(
      refuse(
        'run_taken_over',
        'This run was taken over by another process',
        'look at its history.',
      ),
    );
  }
  return commit(event);
}

export function decideStopAsked(
  record: RunRecord | null,
  command: { readonly at: string; readonly person: string; readonly reason: string },
  livenessOf: (process: string) => Liveness,
): RunDecision {
  if (record === null || record.stop !== null || livenessOf(record.process) === 'gone') {
    return refused(
      refuse('run_not_active', 'This run is not running unattended', 'look at the list of runs.'),
    );
  }
  if (record.stopAsked !== null) return unchanged();
  const { at, person, reason } = command;
  return commit({ type: 'stop_asked', at, data: { person, reason } });
}
