// Processes that runs leave running. Every process of a turn inherits a mark in its environment
// that names the project, the run and the runner's process. When a turn is over, every process with
// its mark is killed. Everything that a runner starts, checks and `worktree.setup` among it, has
// another mark: what a killed runner left behind is killed by the next run. A process that has
// cleared its environment is not found.

import { setTimeout as pause } from 'node:timers/promises';
import type { Liveness } from '../core/session/ownership.ts';
import { processesWith, RUNNER_MARK } from '../environment/process/marked-processes.ts';

export const RUN_MARK = 'DEEPWORK_RUN';

export function markOf(root: string, run: string, runner: string): string {
  return `${run} ${runner} ${root}`;
}

/** Kills what a turn left behind, in any process group. No other turn of the run may be running. */
export function endMarkedProcesses(mark: string): Promise<void> {
  return endAll(RUN_MARK, (value) => value === mark);
}

/** Marks everything that is started with this environment from now on. */
export function markAsRunner(env: NodeJS.ProcessEnv, root: string, runner: string): void {
  env[RUNNER_MARK] = `${runner} ${root}`;
}

/** Kills what runners that are gone left behind in this project. */
export function endLeftProcesses(
  root: string,
  livenessOf: (process: string) => Liveness,
): Promise<void> {
  return endAll(RUNNER_MARK, (value) => {
    const [runner = '', ...place] = value.split(' ');
    return place.join(' ') === root && livenessOf(runner) === 'gone';
  });
}

/** A process may start others between two rounds. */
const MAX_ROUNDS = 20;
const ROUND_MS = 10;

async function endAll(variable: string, isMeant: (value: string) => boolean): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const left = processesWith(variable).filter(({ value }) => isMeant(value));
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
