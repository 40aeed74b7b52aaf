// update_workflow_state: an agent says how it stands with its work.

import * as z from 'zod';
import { updatedText } from '../../core/team/texts.ts';
import { allowedStatuses } from '../../core/team/work.ts';
import { optionalText } from '../operation.ts';
import { defineTeamOperation } from './define.ts';

export const updateWorkflowState = defineTeamOperation({
  name: 'update_workflow_state',
  description:
    'Say how the work stands. agent-done and complete fail while TODO items of yours are pending.',
  // Clients send what they like along with it; only here that is let pass.
  input: z.object({
    status: optionalText('Absent: kept as it is'),
    task: optionalText('What you work on now; empty clears it'),
    addProgress: optionalText('A progress note'),
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
