// deepwork redo: a person sends a run back to a step, which is done again with all after it.

import { Refused, refuse } from '../../core/refusal.ts';
import { refusalOf } from '../answer/answer-outcome.ts';
import { REDO_HELP } from '../help.ts';
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
      words: `Sent ${id} back to step '${step}' (${run.detail.run.workflow}).\nIts agent learns that, and why, with its next call.`,
    };
  },
};

export function redo(argv: readonly string[]): Promise<number> {
  return steer('redo', argv, COMMAND);
}

/** What is said of a step that lies ahead is meant for agents, who have a way to get there. */
async function sendBack(run: SteeredRun, stepId: string) {
  try {
    return await run.engine.sendBackByPerson(run.workspace, { ...run, stepId });
  } catch (error) {
    if (refusalOf(error)?.code !== 'step_ahead') throw error;
    const { steps } = run.detail.workflow;
    const reached = steps.filter(({ progress }) => progress.state !== 'to_do').map(({ id }) => id);
    throw new Refused(
      refuse(
        'step_ahead',
        `Step '${stepId}' is still ahead of the run, which is at '${run.detail.run.step}'`,
        `choose a step that it has reached: ${reached.join(', ')}`,
      ),
    );
  }
}
