// deepwork stop: a person stops an unattended run, which can be resumed.

import type { Run } from '../../board/run.ts';
import { UsageError } from '../command-line.ts';
import { STOP_HELP } from '../help.ts';
import type { Io } from '../io.ts';
import { type SteerCommand, steer } from './steer-run.ts';

const COMMAND: SteerCommand = {
  help: STOP_HELP,
  forbidden: 'stop runs',
  places: 1,
  usage: 'stop needs the id of one unattended run, or last. Try: deepwork status',
  reason: 'no reason was given',
  implied({ runs }) {
    const active = runs.filter(isRunning).map(({ session_id }) => session_id);
    const [only, ...others] = active;
    if (only !== undefined && others.length === 0) return only;
    throw new UsageError(
      only === undefined
        ? 'No unattended run is active. Try: deepwork status'
        : `say which run: ${active.map((id) => `deepwork stop ${id}`).join(', ')}`,
    );
  },
  async act(run) {
    const { id } = await run.engine.stopByPerson(run.workspace, run);
    return {
      data: { run_id: id },
      words: `Asked run ${id} to stop: it ends its agent and stops.\nTo continue it: deepwork run --resume ${id}`,
    };
  },
};

/** Its runner is there, whether it works or waits. */
function isRunning({ unattended, status, state }: Run): boolean {
  return unattended?.stopped === null && status === 'active' && state !== 'orphaned';
}

export function stop(argv: readonly string[], io: Io): Promise<number> {
  return steer(io, 'stop', argv, COMMAND);
}
