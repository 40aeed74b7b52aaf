// Reads the page as its readers will.

import { readFileSync } from 'node:fs';
import { takeSeat } from './connection.mjs';

const team = await takeSeat();
await team.waitForMail();
await team.says('find_snippets', { language: 'markdown', query: 'page' });

const sentences = readFileSync('page.md', 'utf8').match(/[.!?](?=\s)/g)?.length ?? 0;
const verdict = sentences <= 5 ? 'It keeps to the house style.' : `${sentences} sentences is long.`;
await team.says('send_message', {
  toAgent: 'coordinator',
  body: `I have read page.md. ${verdict}`,
});
await team.leave();
