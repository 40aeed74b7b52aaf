// peek_message_bus: all messages, for the coordinator only. Does not mark them as read.

import * as z from 'zod';
import { busText } from '../../core/team/texts.ts';
import { defineTeamTool } from './define.ts';

export const peekMessageBus = defineTeamTool({
  name: 'peek_message_bus',
  description: 'All messages between agents, newest first.',
  input: z.strictObject({}),
  readOnly: true,
  coordinatorOnly: true,
  async run({ workspace, caller }) {
    const { mail, modelsOf } = workspace.team;
    return busText((await mail.all(caller)).toReversed(), modelsOf);
  },
});
