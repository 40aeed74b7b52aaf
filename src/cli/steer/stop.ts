// deepwork stop: a person stops an unattended run, which can be resumed.

import { readOptions, UsageError } from '../command-line.ts';
import { STOP_HELP } from '../help.ts';
import { AGENTS_CANNOT, refusesAgent } from '../terminal/only-people.ts';
import { steerRun } from './steer-run.ts';

export async function stop(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readOptions('stop', {
    args: [...argv],
    allowPositionals: true,
    options: {
      reason: { type: 'string', default: 'stopped from a terminal' },
      by: { type: 'string' },
      json: { type: 'boolean' },
      path: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    process.stdout.write(STOP_HELP);
    return 0;
  }
  if (refusesAgent('stop runs')) return AGENTS_CANNOT;
  const [wanted, ...more] = positionals;
  if (wanted === undefined || more.length > 0) {
    throw new UsageError('stop needs the id of one unattended run, or last. Try: deepwork status');
  }
  return steerRun(wanted, values, async (run) => {
    const { id } = await run.engine.stopByPerson(run.workspace, run);
    return {
      data: { run_id: id },
      words: `Asked run ${id} to stop: it ends its agent and stops.\nTo go on with it: deepwork run --resume ${id}`,
    };
  });
}
