// check_inbox: what others have written to the caller and it has not read yet. A message
// is read when the answer that holds it was written; until then it will be offered again.

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
