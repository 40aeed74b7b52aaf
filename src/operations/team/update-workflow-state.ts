// update_workflow_state: sets an agent's status, task and progress.

import * as z from 'zod';
import { updatedText } from '../../core/team/texts.ts';
import { allowedStatuses } from '../../core/team/work.ts';
import { optionalText } from '../parameters.ts';
import { defineTeamTool } from './define.ts';

export const updateWorkflowState = defineTeamTool({
  name: 'update_workflow_state',
  description: 'Set your status. agent-done and complete fail while todos are pending.',
  // Not strict, unlike other tools: clients send additional arguments with it.
  input: z.object({
    status: optionalText('Absent: kept'),
    task: optionalText('Current task; empty clears it'),
    addProgress: optionalText(),
  }),
  choices: (coordinator) => ({ status: allowedStatuses(coordinator) }),
  readOnly: false,
  async run({ workspace, caller, afterAnswer }, { status, task, addProgress }) {
    const update = {
      status: status ?? undefined,
      task: task ?? undefined,
      note: addProgress ?? undefined,
    };
    return updatedText(await workspace.team.update(caller, update, afterAnswer));
  },
});
