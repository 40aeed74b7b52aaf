// deepwork stop: a person stops an unattended run, which can be resumed.

import { STOP_HELP } from '../help.ts';
import { type SteerCommand, steer } from './steer-run.ts';

const COMMAND: SteerCommand = {
  help: STOP_HELP,
  forbidden: 'stop runs',
  places: 1,
  usage: 'stop needs the id of one unattended run, or last. Try: deepwork status',
  reason: 'stopped from a terminal',
  async act(run) {
    const { id } = await run.engine.stopByPerson(run.workspace, run);
    return {
      data: { run_id: id },
      words: `Asked run ${id} to stop: it ends its agent and stops.\nTo go on with it: deepwork run --resume ${id}`,
    };
  },
};

export function stop(argv: readonly string[]): Promise<number> {
  return steer('stop', argv, COMMAND);
}
