// deepwork redo: a person sends a run back to a step. It and all steps after it are done again.

import { refusedWith } from '../../core/refusal.ts';
import { refusalOf } from '../answer/answer-outcome.ts';
import { REDO_HELP } from '../help.ts';
import type { Io } from '../io.ts';
import { requireSteps, type SteerCommand, type SteeredRun, steer } from './steer-run.ts';

const COMMAND: SteerCommand = {
  help: REDO_HELP,
  forbidden: 'send runs back here',
  places: 2,
  usage:
    'redo needs the id of one run, or last, and the step to go back to. Try: deepwork graph last',
  async act(run, [step = '']) {
    requireSteps(run);
    const { id, status, seq } = await sendBack(run, step);
    return {
      data: { session_id: id, status, seq, step_id: step },
      words: `Sent ${id} back to step '${step}' (${run.detail.run.workflow}).\nThe agent gets your reason with its next call.`,
    };
  },
};

export function redo(argv: readonly string[], io: Io): Promise<number> {
  return steer(io, 'redo', argv, COMMAND);
}

/** Rewords the refusal for a step that the run has not reached: the usual one is for agents. */
async function sendBack(run: SteeredRun, stepId: string) {
  try {
    return await run.engine.sendBackByPerson(run.workspace, { ...run, stepId });
  } catch (error) {
    if (refusalOf(error)?.code !== 'step_ahead') throw error;
    const { steps } = run.detail.workflow;
    const reached = steps.filter(({ progress }) => progress.state !== 'to_do').map(({ id }) => id);
    throw refusedWith(
      'step_ahead',
      `The run has not reached step '${stepId}' yet; it is at '${run.detail.run.step}'`,
      `choose a step that it has reached: ${reached.join(', ')}`,
    );
  }
}
