// check_inbox: the caller's unread messages. A message is read when the answer that contains it was
// written to the client; until then it is offered again.

import * as z from 'zod';
import { inboxText } from '../../core/team/texts.ts';
import { defineTeamTool } from './define.ts';

export const checkInbox = defineTeamTool({
  name: 'check_inbox',
  description: 'Read your unread messages; that marks them read.',
  input: z.strictObject({}),
  readOnly: false,
  async run({ workspace, caller, signal, afterAnswer }) {
    const { messages, end } = await workspace.team.mail.check(caller, signal);
    afterAnswer(end);
    return inboxText(messages);
  },
});
