// What agents leave running. Every process of a turn inherits a mark in its environment that names
// the project, the run and the runner's process. When a turn is over, whatever has its runner's
// mark is ended; what a killed runner left is ended by the next run. A process that has cleared
// its environment is not found.

import { setTimeout as pause } from 'node:timers/promises';
import type { Liveness } from '../core/session/ownership.ts';
import { processesWith } from '../environment/process/marked-processes.ts';

export const RUN_MARK = 'DEEPWORK_RUN';

export function markOf(root: string, run: string, runner: string): string {
  return `${run} ${runner} ${root}`;
}

/** Ends what the turn of a run left, in whatever process group; no other turn of it may run. */
export function endMarkedProcesses(mark: string): Promise<void> {
  return endAll((value) => value === mark);
}

/** Ends what runners that are gone left in this project. */
export function endLeftProcesses(
  root: string,
  livenessOf: (process: string) => Liveness,
): Promise<void> {
  return endAll((value) => {
    const [, runner = '', ...place] = value.split(' ');
    return place.join(' ') === root && livenessOf(runner) === 'gone';
  });
}

/** One that starts others while it is looked for is found with them the next time. */
const MAX_ROUNDS = 20;
const ROUND_MS = 10;

async function endAll(isMeant: (value: string) => boolean): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const left = processesWith(RUN_MARK).filter(({ value }) => isMeant(value));
    if (left.length === 0) return;
    for (const { pid } of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has just ended.
      }
    }
    await pause(ROUND_MS);
  }
}
