// A process that serves one hostile project after the other, under the guard: the built
// library with a real client in the same process. Told by its parent:
//
//   { does: 'begin', root, area }   a server on a sound project, with work under way
//   { does: 'attack', area }        the calls, first on that server, then on a new one
//
// Without an area, all tools are called.
//
// Each answer holds what the calls said, what went to stderr and what the guard noted.

import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { createServer } from '../../dist/index.js';

const guard = globalThis.deepworkGuard;

const DEMO = { goal: 'g', job_name: 'demo', workflow_name: 'main' };
const OUTPUTS = { outputs: { report: 'report.md' } };

const BEGINNING = {
  jobs: [
    ['start_workflow', DEMO],
    ['finished_step', OUTPUTS],
  ],
  guides: [['workflow_list', {}]],
  knowledge: [
    ['find_skills', { name: 'own' }],
    ['find_snippets', { language: 'go' }],
  ],
  team: [
    ['update_workflow_state', { status: 'working', task: 'before' }],
    ['send_message', { toAgent: 'writer', body: 'before' }],
  ],
};

const CALLS = {
  jobs: [
    ['get_workflows', {}],
    ['finished_step', OUTPUTS],
    ['get_active_workflow', {}],
    ['start_workflow', DEMO],
    ['start_workflow', { ...DEMO, job_name: 'elsewhere' }],
    ['validate_step_outputs', { step_id: 'a', ...OUTPUTS }],
  ],
  guides: [
    ['workflow_list', {}],
    ['workflow_get', { workflowId: 'own' }],
    ['workflow_next', { workflowId: 'elsewhere' }],
    ['start_workflow', { ...DEMO, job_name: 'elsewhere' }],
  ],
  knowledge: [
    ['find_skills', { name: '' }],
    ['find_skills', { name: 'own' }],
    ['find_skills', { name: 'elsewhere' }],
    ['find_snippets', {}],
    ['find_snippets', { language: 'go' }],
    ['find_snippets', { language: 'go', query: 'own' }],
    ['find_snippets', { language: 'go', query: 'elsewhere' }],
  ],
  team: [
    ['update_workflow_state', { status: 'working', task: 'after' }],
    ['send_message', { toAgent: 'writer', body: 'after' }],
    ['check_inbox', {}],
    ['peek_message_bus', {}],
  ],
};

const some = (calls, area) => (area === undefined ? Object.values(calls).flat() : calls[area]);

let living = null;
let stderr = '';
process.stderr.write = (text) => {
  stderr += text;
  return true;
};

async function open(root) {
  const server = createServer({ projectRoot: root });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs);
  const client = new Client({ name: 'hostile', version: '1' });
  await client.connect(ours);
  return { root, client, server };
}

async function callAll({ client }, calls) {
  const answers = [];
  for (const [tool, args] of calls) {
    const began = performance.now();
    let said;
    try {
      const { content, isError } = await client.callTool({ name: tool, arguments: args });
      said = { text: content.map(({ text }) => text).join('\n'), isError: isError === true };
    } catch (error) {
      said = { text: String(error?.message ?? error), isError: true };
    }
    answers.push({ tool, ...said, ms: Math.round(performance.now() - began) });
  }
  return answers;
}

async function begin(root, area) {
  guard.writable = [root, process.env.HOME];
  living = await open(root);
  return callAll(living, some(BEGINNING, area));
}

async function attack(area) {
  const before = await callAll(living, some(CALLS, area));
  await living.server.close();
  const fresh = await open(living.root);
  const after = await callAll(fresh, some(CALLS, area));
  await fresh.server.close();
  // What is put off (a spare file, a late look) belongs to this project, too.
  await new Promise((resolve) => setTimeout(resolve, 5));
  return [...before, ...after];
}

process.on('message', async ({ does, root, area }) => {
  guard.notes.length = 0;
  stderr = '';
  const answers = does === 'begin' ? await begin(root, area) : await attack(area);
  process.send({ answers, stderr, notes: [...guard.notes] });
});
process.send('ready');
