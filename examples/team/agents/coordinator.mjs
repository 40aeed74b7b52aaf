// Plans the work, asks the person what only the person can decide, and reports when all is done.

import { takeSeat } from './connection.mjs';

const todo = (agent, content, status) => ({
  id: agent,
  content,
  status,
  priority: 'high',
  agent,
});
const plan = (writer, reviewer) => ({
  todos: [todo('writer', 'Write the page', writer), todo('reviewer', 'Review the page', reviewer)],
});

const team = await takeSeat();
await team.says('project_todowrite', plan('pending', 'pending'));
const answer = await team.says('ask_user_question', {
  questions: [
    {
      question: 'Who is the page for?',
      choices: ['People new to Larder', 'People who use it already'],
      multiSelect: false,
    },
  ],
});
const [, audience] = /Selected: (.+) \(q-1/.exec(answer) ?? [];
if (audience === undefined) throw new Error(`There was no answer: ${answer}`);

await team.says('send_message', {
  toAgent: 'writer',
  body: `Please write page.md for this audience: ${audience}. Tell me when it is there.`,
});
await team.waitForMail();
await team.says('project_todowrite', plan('completed', 'in_progress'));
await team.says('send_message', { toAgent: 'reviewer', body: 'Please review page.md.' });
await team.waitForMail();

await team.isRefused('update_workflow_state', { status: 'complete' });
await team.says('project_todowrite', plan('completed', 'completed'));
await team.says('update_workflow_state', {
  status: 'complete',
  addProgress: 'The page is written and reviewed.',
});
await team.leave();
