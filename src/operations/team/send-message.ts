// send_message: leaves a message in another agent's inbox.

import * as z from 'zod';
import { sentText } from '../../core/team/texts.ts';
import { textParameter } from '../parameters.ts';
import { defineTeamTool } from './define.ts';

export const sendMessage = defineTeamTool({
  name: 'send_message',
  description: 'Send a message to another agent, or one model of it (agent:model).',
  input: z.strictObject({
    toAgent: textParameter(),
    // The mail itself checks its size, with a promised error.
    body: z.string(),
  }),
  readOnly: false,
  async run({ workspace, caller, afterAnswer }, { toAgent, body }) {
    const message = { to: toAgent, body };
    const { sent, member } = await workspace.team.mail.send(caller, message, afterAnswer);
    return sentText(sent, member);
  },
});
