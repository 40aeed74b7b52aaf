// What a team reads: messages, todos, states, skills and snippets; and questions to people, in every
// form in which they are asked and answered.

import { readFileSync } from 'node:fs';
import type { Connection } from '../support/connect.ts';
import { unhurried, words } from './page.ts';
import { newWork, START } from './project.ts';
import { newStage } from './stage.ts';
import { dialogue } from './terminal.ts';

const AGENTS = [
  { name: 'writer', models: ['opus', 'haiku'] },
  { name: 'reviewer', models: [] },
];

async function team(config: Readonly<Record<string, unknown>> = {}) {
  const stage = newStage({ team: { question_wait_seconds: 1, agents: AGENTS, ...config } });
  const as = (identity: string) => stage.agent({ args: ['--agent', identity] });
  return { stage, as, coordinator: await as('coordinator') };
}

words('team', async (page) => {
  const { stage, as, coordinator } = await team();
  const writer = await as('writer|opus|thinking');
  const reviewer = await as('reviewer');
  page.part('messages');
  for (const agent of [coordinator, writer]) {
    for (const tool of ['check_inbox', 'check_outbox', 'peek_message_bus'])
      await page.call(agent, tool);
  }
  await page.call(coordinator, 'send_message', {
    toAgent: 'writer',
    body: 'Please write it.\nSoon.',
  });
  await page.call(coordinator, 'send_message', { toAgent: 'writer:opus', body: 'You alone' });
  await page.call(writer, 'send_message', { toAgent: 'coordinator', body: 'Yes' });
  await page.call(writer, 'send_message', { toAgent: 'all', body: 'Everyone' });
  await page.call(coordinator, 'check_outbox');
  await page.call(writer, 'check_inbox');
  await page.call(writer, 'check_inbox');
  await page.call(coordinator, 'check_outbox');
  await page.call(coordinator, 'peek_message_bus');
  await page.command(stage, ['messages']);
  await page.command(stage, ['status']);
  await page.command(stage, ['messages', 'prune', '--through', '1']);
  await page.command(stage, ['messages', 'prune', '--through', '9', '--unread']);
  await page.command(stage, ['messages']);
  await page.call(coordinator, 'check_outbox');

  page.part('states');
  for (const args of [
    {},
    { status: 'working', task: 'Write' },
    { addProgress: 'Half of it' },
    { task: '' },
    { status: 'agent-done' },
    { status: 'done' },
    { status: '' },
  ]) {
    await page.call(writer, 'update_workflow_state', args);
  }
  await page.call(coordinator, 'update_workflow_state', { status: 'complete' });
  await page.call(writer, 'update_workflow_state', { status: 'complete' });
  await page.command(stage, ['status']);

  page.part('todos');
  await page.call(coordinator, 'project_todoread');
  const todo = (id: string, status: string, more = {}) => ({
    id,
    content: `Todo ${id}`,
    status,
    priority: 'high',
    ...more,
  });
  await page.call(coordinator, 'project_todowrite', {
    todos: [
      todo('1', 'pending'),
      todo('2', 'in_progress'),
      todo('3', 'completed'),
      todo('4', 'cancelled'),
    ],
  });
  await page.call(coordinator, 'project_todoread');
  await page.call(coordinator, 'project_todowrite', {
    todos: [{ content: 'No id', status: 'pending', priority: 'low' }],
  });
  await page.call(coordinator, 'project_todowrite', { todos: [todo('1', 'sometime')] });
  await page.call(coordinator, 'project_todowrite', {
    todos: [todo('1', 'pending'), todo('1', 'pending')],
  });
  await page.call(coordinator, 'project_todowrite', { todos: [{ id: '1' }] });
  await page.call(coordinator, 'project_todowrite', { todos: 'x' });
  await page.call(coordinator, 'project_todowrite', { todos: [] });
  await reviewer.close();

  page.part('a flow, and what guards it');
  const flowing = newStage({ team: { question_wait_seconds: 1 } });
  flowing.write(
    'GOAL.md',
    '---\nflow: |\n  coordinator -> writer\n  writer -> reviewer\nmodels: {writer: opus}\n---\n# Write a book\n',
  );
  const head = await flowing.agent({ args: ['--agent', 'coordinator'] });
  await page.call(head, 'send_message', { toAgent: 'editor', body: 'x' });
  await page.call(head, 'send_message', { toAgent: 'reviewer', body: 'x' });
  const stranger = await flowing.agent({ args: ['--agent', 'stranger'] });
  await page.call(stranger, 'check_inbox');
  await page.call(stranger, 'send_message', { toAgent: 'writer', body: 'x' });
  await page.call(stranger, 'update_workflow_state', { status: 'working' });
  await page.command(flowing, ['status']);
  const front = (text: string) => flowing.write('GOAL.md', `---\n${text}\n---\n# Goal\n`);
  for (const text of [
    'flow: a -> b -> a',
    'flow: "@nowhere.dot"',
    'flow: "@../x.dot"',
    'flow: "@.sgai"',
    'flow: [',
    'models: 3',
  ]) {
    front(text);
    await page.call(head, 'send_message', { toAgent: 'writer', body: 'x' });
  }
  flowing.write(
    '.sgai/state.json',
    JSON.stringify({
      status: 'waiting-for-human',
      todos: [{ id: '1', content: 'Old', status: 'pending' }],
    }),
  );
  await page.call(head, 'update_workflow_state', {
    status: 'working',
    task: 'x',
    addProgress: 'y',
  });
  await page.call(head, 'update_workflow_state', { status: 'complete' });
  flowing.write('.sgai/state.json', '{"messages": [');
  await page.call(head, 'check_inbox');
  await page.command(flowing, ['repair']);
  await page.command(flowing, ['repair']);

  page.part('skills');
  const skilled = newStage();
  const searching = await skilled.agent();
  await page.call(searching, 'find_skills');
  await page.call(searching, 'find_snippets');
  await page.call(searching, 'find_skills', { name: 'anything' });
  skilled.write(
    '.deepwork/skills/release-notes/SKILL.md',
    '---\nname: release-notes\ndescription: Writes the notes of a release\n---\n# How\nWrite.\n',
  );
  skilled.write(
    '.deepwork/skills/release-check/SKILL.md',
    '---\nname: release-check\ndescription: Checks a release\n---\nCheck.\n',
  );
  skilled.write('.deepwork/skills/bad/SKILL.md', '---\nname: [\n---\n');
  skilled.write('.deepwork/skills/plain/SKILL.md', 'No front matter.\n');
  skilled.write(
    '.deepwork/snippets/ts/read-file.ts',
    '// ---\n// name: read a file\n// description: Reads it\n// ---\nread();\n',
  );
  skilled.write(
    '.deepwork/snippets/go/read-file.go',
    '---\nname: read\ndescription: Reads\n---\nread()\n',
  );
  for (const name of [
    '',
    'release-notes',
    'release',
    'notes of a release',
    'nothing',
    '.deepwork/skills/plain',
    'bad',
  ])
    await page.call(searching, 'find_skills', { name });
  for (const args of [
    {},
    { language: 'ts' },
    { language: 'ts', query: 'read' },
    { language: 'rust' },
    { query: 'read' },
    { language: 'go', query: 'nothing' },
  ])
    await page.call(searching, 'find_snippets', args);
  skilled.write('.sgai/skills', 'x');
  await page.call(searching, 'find_skills', { name: 'release' });
});

const ONE = {
  question: 'Which colour should it be?',
  choices: ['red', 'blue'],
  multiSelect: false,
};
const MANY = { question: 'Which of these?', choices: ['this', 'that', 'both'], multiSelect: true };

/** Asks without waiting for the answer of the call. */
function asking(agent: Connection, ...questions: object[]) {
  return agent.call('ask_user_question', { questions });
}

words('questions', async (page) => {
  const { stage, coordinator, as } = await team();
  const answer = (...args: string[]) => page.command(stage, ['answer', ...args]);
  page.part('nothing is open');
  await answer();
  await answer('--path', stage.root);

  page.part('asked, and answered at a terminal');
  await page.call(coordinator, 'ask_user_question', { questions: [ONE, MANY] });
  await page.call(coordinator, 'ask_user_question', { questions: [ONE, MANY] });
  await answer();
  await answer('q-1');
  await answer('q-1', '--choose', 'green');
  await answer('q-1', '--choose', 'red', '--choose', 'blue');
  await answer('q-1', '--choose', 'rd');
  await answer('q-1', 'red', '--by', 'ann');
  await answer('q-1', '--choose', 'blue', '--by', 'bob');
  await answer('q-2', '--choose', 'this', '--choose', 'that', '--other', 'and more', '--by', 'ann');
  await page.call(coordinator, 'ask_user_question', { questions: [ONE, MANY] });
  await answer();
  await answer('q-1');
  const third = { ...ONE, question: 'Shall we go on?', choices: ['yes', 'no'] };
  await asking(coordinator, third);
  await answer('q-3', '--dismiss', '--by', 'ann');
  await answer('q-3', '--dismiss');
  await page.call(coordinator, 'ask_user_question', { questions: [third] });
  await answer('--dismiss');
  await answer('q-3', '--other', 'x'.repeat(5000), '--by', 'ann');
  await page
    .call(await as('writer'), 'ask_user_question', { questions: [ONE] })
    .catch((error: Error) => page.text(`[error] ${error.message}`));

  page.part('asked wrongly');
  for (const questions of [
    [],
    [{ ...ONE, choices: [] }],
    [{ ...ONE, choices: ['a', 'a'] }],
    [{ ...ONE, choices: [''] }],
    [{ ...ONE, question: '' }],
    [{ ...ONE, question: 'x'.repeat(20_000) }],
    [{ ...ONE, choices: Array.from({ length: 60 }, (_, nth) => `${nth}`) }],
    [{ question: 'x' }],
    'x',
    [{ ...ONE, choices: ['yes\u202e', 'no'] }],
  ]) {
    await page.call(coordinator, 'ask_user_question', { questions });
  }
  await page.call(coordinator, 'ask_user_question', {});

  page.part('forms in the client');
  for (const reply of ['accept', 'decline', 'cancel', 'other'] as const) {
    const waits = reply === 'accept' || reply === 'other' ? 60 : 1;
    const own = newStage({ team: { question_wait_seconds: waits } });
    const agent = await own.agent({ client: { capabilities: { elicitation: { form: {} } } } });
    let asked: unknown;
    agent.client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked ??= params;
      const content = contentFor(params, reply);
      return {
        action: reply === 'decline' || reply === 'cancel' ? reply : 'accept',
        ...(content && { content }),
      };
    });
    const questions = [ONE, MANY];
    const { text } = await unhurried(() => agent.call('ask_user_question', { questions }));
    page.text(`(the person: ${reply})`);
    if (reply === 'accept') page.value(asked);
    page.text(`${text}\n\n`);
  }

  page.part('who may not answer');
  await asking(coordinator, { ...ONE, question: 'Again?' });
  await page.command(stage, ['answer', 'q-4', '--choose', 'red'], {
    env: { SGAI_AGENT_IDENTITY: 'writer' },
  });
  await page.command(stage, ['answer', 'q-4', '--choose', 'red'], { env: { CLAUDECODE: '1' } });
  await page.command(stage, ['messages', 'prune', '--through', '1'], { env: { CLAUDECODE: '1' } });
  await page.command(stage, ['repair'], { env: { CLAUDECODE: '1' } });
  await page.command(stage, ['trust', '--yes'], { env: { CLAUDECODE: '1' } });
  await page.command(stage, ['call', 'send_message', '--toAgent', 'writer', '--body', 'x'], {
    env: { CLAUDECODE: '1' },
  });
  await page.command(stage, ['call', 'check_inbox', '--agent', 'coordinator'], {
    env: { SGAI_AGENT_IDENTITY: 'writer' },
  });
  for (const mark of ['CLAUDECODE', 'CODEX_THREAD_ID', 'GEMINI_CLI', 'OPENCODE']) {
    await page.command(stage, ['abort', 'last', '--reason', 'x'], { env: { [mark]: '1' } });
  }

  page.part('typed');
  const typing = newStage({ team: { question_wait_seconds: 1 } });
  const asker = await typing.agent();
  await asking(
    asker,
    ONE,
    MANY,
    { ...ONE, question: 'Shall we go on?' },
    { ...ONE, question: 'Later?' },
  );
  await dialogue(
    page,
    typing,
    ['answer'],
    [
      ['> ', '3'],
      ['> ', '1,2'],
      ['> ', '1'],
      ['> ', '1, 2 | and more'],
      ['> ', 'd'],
      ['[y/N]', 'n'],
      ['> ', 'd'],
      ['[y/N]', 'y'],
      ['> ', ''],
    ],
  );
  const approve = { name: 'go_ahead', question: 'Is this good?', show: ['draft.notes'] };
  const approving = newWork({
    entries: ['draft', { approve }],
    steps: { draft: { outputs: { notes: 'file' } } },
  });
  const drafter = await approving.agent();
  await drafter.ok('start_workflow', START);
  await drafter.ok('finished_step', { outputs: { notes: 'notes.md' } });
  await dialogue(
    page,
    approving,
    ['answer', 'q-1'],
    [
      ['> ', '2'],
      ['Why?', 'Too long'],
    ],
  );
});

function contentFor(params: unknown, reply: string): Record<string, string | string[]> | null {
  const { requestedSchema } = params as {
    requestedSchema: {
      properties: Record<
        string,
        { readonly type?: string; readonly enum?: string[]; readonly oneOf?: { const: string }[] }
      >;
    };
  };
  if (reply === 'decline' || reply === 'cancel') return null;
  if (reply === 'other') return { other: 'Something else' };
  const entries = Object.entries(requestedSchema.properties).map(
    ([name, { type, ...field }]): [string, string | string[]] => {
      const first = field.enum?.[0] ?? field.oneOf?.[0]?.const ?? 'red';
      if (type === 'array') return [name, ['this']];
      return [name, first];
    },
  );
  return Object.fromEntries(entries);
}

words('warnings', async (page) => {
  page.part('a definition edited during the run');
  const stage = newWork({ steps: { draft: { outputs: { notes: 'file' } }, next: {} } });
  const agent = await stage.agent();
  await agent.ok('start_workflow', START);
  stage.write('.deepwork/jobs/work/steps/draft.md', 'Do it otherwise.\n');
  const text = readFileSync(stage.path('.deepwork/jobs/work/job.yml'), 'utf8');
  stage.write('.deepwork/jobs/work/job.yml', text.replace('The work job', 'Another summary'));
  await page.call(agent, 'get_active_workflow');
  await page.call(agent, 'finished_step', { outputs: { notes: 'notes.md' } });

  page.part('a broken config');
  stage.write('.deepwork/config.yml', 'quality_gate: {overrides: nevr}\nx: 1\n');
  await page.call(await stage.agent(), 'get_workflows');

  page.part('settings that no one has agreed to');
  const loosened = newWork({
    config: {
      quality_gate: { overrides: 'agent', default_max_attempts: 9, agent_review_command: 'true' },
      clients: { max_nudges: 1 },
    },
  });
  const worker = await loosened.agent();
  await page.call(worker, 'get_workflows');
  await page.call(worker, 'start_workflow', START);
  await page.call(worker, 'finished_step', { outputs: { notes: 'notes.md' } });
  await page.call(worker, 'finished_step', { outputs: { page: 'page.md' } });

  page.part('a check that was removed');
  const checks = [{ name: 'lint', run: 'true' }];
  const held = newWork({ steps: { draft: { outputs: { notes: 'file' }, checks }, next: {} } });
  const runner = await held.agent();
  await page.command(held, ['trust', '--yes'], { shown: false });
  await runner.ok('start_workflow', START);
  const job = readFileSync(held.path('.deepwork/jobs/work/job.yml'), 'utf8');
  held.write('.deepwork/jobs/work/job.yml', job.replace(/ {4}checks:\n.*\n.*\n/, ''));
  await page.call(runner, 'get_workflows');
  await page.call(runner, 'finished_step', { outputs: { notes: 'notes.md' } });
  await page.call(runner, 'start_workflow', START);
});
