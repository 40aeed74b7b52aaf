// deepwork abort: a person ends a run for good.

import { ABORT_HELP } from '../help.ts';
import { requireSteps, type SteerCommand, steer } from './steer-run.ts';

const COMMAND: SteerCommand = {
  help: ABORT_HELP,
  forbidden: 'abort runs here',
  places: 1,
  usage: 'abort needs the id of one run, or last. Try: deepwork status',
  async act(run) {
    requireSteps(run);
    const { id, status, seq } = await run.engine.abortByPerson(run.workspace, run);
    const { workflow, goal } = run.detail.run;
    return {
      data: { session_id: id, status, seq },
      words: `Aborted ${id} (${workflow}: ${goal}).\nIts agent learns that, and why, with its next call.`,
    };
  },
};

export function abort(argv: readonly string[]): Promise<number> {
  return steer('abort', argv, COMMAND);
}
