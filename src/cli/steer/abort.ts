// deepwork abort: a person ends a run for good.

import { ABORT_HELP } from '../help.ts';
import { isOfTeam, type SteerCommand, steer } from './steer-run.ts';

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
      : `Aborted ${named}.\nThe agent gets your reason with its next call.`;
    return { data: { session_id: id, status, seq }, words };
  },
};

export function abort(argv: readonly string[]): Promise<number> {
  return steer('abort', argv, COMMAND);
}
