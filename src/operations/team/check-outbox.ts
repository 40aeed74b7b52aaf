// check_outbox: the messages that the caller has sent, and whether they were read.

import * as z from 'zod';
import { outboxText } from '../../core/team/texts.ts';
import { defineTeamTool } from './define.ts';

export const checkOutbox = defineTeamTool({
  name: 'check_outbox',
  description: 'Messages you sent, and whether they were read.',
  input: z.strictObject({}),
  readOnly: true,
  async run({ workspace, caller }) {
    const { mail, modelsOf } = workspace.team;
    return outboxText(await mail.sentBy(caller), modelsOf);
  },
});
