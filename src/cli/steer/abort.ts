// deepwork abort: a person ends a run for good.

import { readOptions, UsageError } from '../command-line.ts';
import { ABORT_HELP } from '../help.ts';
import { AGENTS_CANNOT, refusesAgent } from '../terminal/only-people.ts';
import { requireSteps, steerRun } from './steer-run.ts';

export async function abort(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readOptions('abort', {
    args: [...argv],
    allowPositionals: true,
    options: {
      reason: { type: 'string' },
      by: { type: 'string' },
      json: { type: 'boolean' },
      path: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    process.stdout.write(ABORT_HELP);
    return 0;
  }
  if (refusesAgent('abort runs here')) return AGENTS_CANNOT;
  const [wanted, ...more] = positionals;
  if (wanted === undefined || more.length > 0) {
    throw new UsageError('abort needs the id of one run, or last. Try: deepwork status');
  }
  return steerRun(wanted, values, async (run) => {
    requireSteps(run);
    const { id, status, seq } = await run.engine.abortByPerson(run.workspace, run);
    const { workflow, goal } = run.detail.run;
    return {
      data: { session_id: id, status, seq },
      words: `Aborted ${id} (${workflow}: ${goal}).\nIts agent learns that, and why, with its next call.`,
    };
  });
}
