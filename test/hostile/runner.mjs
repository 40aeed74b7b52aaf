// A process that serves one hostile project after the other, under the guard: the built library
// with a real client in the same process. Controlled by its parent:
//
// { does: 'begin', root, area }   a server on a valid project, with work in progress
//   { does: 'attack', area }        the calls, first on that server, then on a new one
//
// Without an area, all tools are called.
//
// Each answer contains what the calls returned, what went to stderr and what the guard recorded.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { createServer } from '../../dist/index.js';

const { openPage, openProjectBoard, openWorkspace } = httpEngine();

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

/** The sha256 of the report that the sample hands in. */
const REPORT = createHash('sha256').update('# Report\n').digest('hex');

/** What a browser asks the page's API for. */
const PAGES = {
  jobs: [
    '/api/board?all=1',
    '/api/runs/last',
    '/api/definitions',
    `/api/runs/last/files/${REPORT}`,
  ],
  guides: ['/api/definitions'],
  knowledge: [],
  team: ['/api/team', '/api/questions'],
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

function httpEngine() {
  const file = fileURLToPath(new URL('../../dist/engine-http.cjs', import.meta.url));
  const module = { exports: {} };
  const run = new vm.Script(readFileSync(file, 'latin1'), { filename: file }).runInThisContext();
  run(
    module.exports,
    createRequire(file),
    module,
    file,
    fileURLToPath(new URL('.', import.meta.url)),
  );
  return module.exports;
}

async function readPages(root, paths) {
  const workspace = openWorkspace({ projectRoot: root });
  const board = openProjectBoard({ projectRoot: root });
  const page = openPage({ workspace, board, folder: process.env.HOME });
  const answers = [];
  for (const path of paths) {
    const began = performance.now();
    let said;
    try {
      const request = new Request(`http://127.0.0.1${path}`);
      const response = await page.handle({ request, outgoing: null, agent: null });
      said = { text: await response.text(), isError: response.status !== 200 };
    } catch (error) {
      said = { text: String(error?.message ?? error), isError: true };
    }
    answers.push({ tool: `GET ${path}`, ...said, ms: Math.round(performance.now() - began) });
  }
  page.close();
  workspace.stop();
  await workspace.close();
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
  const read = await readPages(living.root, some(PAGES, area));
  // Deferred work (a spare file, a late look) belongs to this project, too.
  await new Promise((resolve) => setTimeout(resolve, 5));
  return [...before, ...after, ...read];
}

process.on('message', async ({ does, root, area }) => {
  guard.notes.length = 0;
  stderr = '';
  const answers = does === 'begin' ? await begin(root, area) : await attack(area);
  process.send({ answers, stderr, notes: [...guard.notes] });
});
process.send('ready');
