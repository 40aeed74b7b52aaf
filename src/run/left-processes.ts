// What a killed runner left running. Every process of a turn inherits a mark in its environment
// that names the project, the run and the runner's process; whatever has the mark of a runner
// that is gone is ended by the next run.

import type { Liveness } from '../core/session/ownership.ts';
import { processesWith } from '../environment/process/marked-processes.ts';

export const RUN_MARK = 'DEEPWORK_RUN';

export function markOf(root: string, run: string, runner: string): string {
  return `${run} ${runner} ${root}`;
}

/** Ends what was left in this project; returns the process ids. */
export function endLeftProcesses(
  root: string,
  livenessOf: (process: string) => Liveness,
): readonly number[] {
  const left = processesWith(RUN_MARK).filter(({ value }) => {
    const [, runner = '', ...place] = value.split(' ');
    return place.join(' ') === root && livenessOf(runner) === 'gone';
  });
  for (const { pid } of left) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has just ended.
    }
  }
  return left.map(({ pid }) => pid);
}
