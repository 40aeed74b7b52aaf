// deepwork abort: a person ends a run for good.

import { ABORT_HELP } from '../help.ts';
import type { Io } from '../io.ts';
import { isOfTeam, type SteerCommand, type SteeredRun, steer } from './steer-run.ts';

const COMMAND: SteerCommand = {
  help: ABORT_HELP,
  forbidden: 'abort runs here',
  places: 1,
  usage: 'abort needs the id of one run, or last. Try: deepwork status',
  async act(run) {
    const { id, status, seq } = await run.engine.abortByPerson(run.workspace, run);
    const { workflow, goal } = run.detail.run;
    const named = `${id} (${workflow}: ${goal})`;
    const words = isOfTeam(run)
      ? status === 'aborted'
        ? `Aborted ${named}.`
        : `Asked run ${named} to end: it ends its agent, and is aborted.`
      : `Aborted ${named}.${informed(run)}`;
    return { data: { session_id: id, status, seq }, words };
  },
};

/** A stopped unattended run has no agent that could make a call. */
function informed({ detail: { run } }: SteeredRun): string {
  return run.unattended?.stopped ? '' : '\nThe agent gets your reason with its next call.';
}

export function abort(argv: readonly string[], io: Io): Promise<number> {
  return steer(io, 'abort', argv, COMMAND);
}
