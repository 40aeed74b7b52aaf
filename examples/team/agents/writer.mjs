// Writes the page, in the house style, for the audience that the person chose.

import { writeFileSync } from 'node:fs';
import { takeSeat } from './connection.mjs';

const team = await takeSeat();
const mail = await team.waitForMail();
const newcomers = mail.includes('new to Larder');
await team.says('find_skills', { name: 'house-style' });

writeFileSync(
  'page.md',
  newcomers
    ? '# Never buy the third jar of mustard again\n\nLarder knows what is in your kitchen. Now the person in the shop knows it, too.\n\nInstall Larder, add what you have, and share the list.\n'
    : '# Share your shopping list\n\nWhoever is in the shop sees what is missing at home.\n\nOpen a list and choose Share.\n',
);
await team.isRefused('update_workflow_state', { status: 'agent-done' });
await team.says('send_message', { toAgent: 'coordinator', body: 'page.md is written.' });
await team.leave();
