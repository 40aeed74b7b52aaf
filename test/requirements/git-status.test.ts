// What deepwork writes into a project never shows up in `git status`, from the first call on, whatever
// is called and wherever a server is killed.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type Connection, connect, connectToProcess } from '../support/connect.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { newProject, type Project, REVIEW, writeJob } from '../support/project.ts';
import { newRepository } from '../support/repository.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';

const START = { goal: 'Try it', job_name: 'demo', workflow_name: 'main' };
const OUTPUTS = { outputs: { report: 'report.md' } };

interface Committed extends Project {
  /** What git would show a person, every file by its name. */
  status(): string[];
}

/** A project in which everything is committed. */
function newCommitted(files: Record<string, string> = {}): Committed {
  const project = newProject({ 'report.md': 'Done\n', ...files });
  const step = { outputs: { report: 'file' } };
  writeJob(project, 'demo', { a: step, b: { ...step, reviews: [REVIEW] } }, { main: ['a', 'b'] });
  const { git } = newRepository(project.root);
  git('add', '.');
  git('commit', '--quiet', '-m', 'First');
  const args = ['status', '--porcelain', '--untracked-files=all'];
  const status = () =>
    execFileSync('git', args, { cwd: project.root, encoding: 'utf8' }).split('\n').filter(Boolean);
  return { ...project, status };
}

/** Every tool, in an order in which each has something to do. */
const CALLS: readonly (readonly [string, Record<string, unknown>])[] = [
  ['get_workflows', {}],
  ['start_workflow', START],
  ['validate_step_outputs', OUTPUTS],
  ['finished_step', OUTPUTS],
  ['finished_step', OUTPUTS],
  ['go_to_step', { step_id: 'a' }],
  ['get_active_workflow', {}],
  ['abort_workflow', { explanation: 'Enough' }],
  ['workflow_list', {}],
  ['workflow_get', { workflowId: 'demo/main' }],
  ['workflow_next', { workflowId: 'demo/main', completedSteps: [] }],
  ['workflow_validate', { workflowId: 'demo/main', stepId: 'a', output: 'x' }],
  ['find_skills', { name: '' }],
  ['find_snippets', {}],
  ['update_workflow_state', { status: 'working', task: 'a task', addProgress: 'a note' }],
  ['send_message', { toAgent: 'coordinator', body: 'hello' }],
  ['check_inbox', {}],
  ['check_outbox', {}],
  ['peek_message_bus', {}],
  ['project_todowrite', { todos: [] }],
  ['project_todoread', {}],
];

/** Calls and checks; whether a call is refused does not matter here. */
async function callAndLook(server: Connection, project: Committed): Promise<string[]> {
  const seen: string[] = [];
  for (const [tool, args] of CALLS) {
    await server.call(tool, args).catch(() => {});
    seen.push(...project.status().map((line) => `${tool}: ${line}`));
  }
  return seen;
}

test('nothing is shown after any call, nor when the server has ended', async () => {
  verifies('JOBS-X.20', 'TEAM-42');
  const project = newCommitted({ '.sgai/skills/own/SKILL.md': 'Own\n' });
  const server = await connect(project.root);
  const named = new Set(CALLS.map(([tool]) => tool));
  const { tools } = await server.client.listTools();
  // A question waits for a person; it writes what a message writes.
  const left = tools.map(({ name }) => name).filter((name) => !named.has(name));
  expect(left).toEqual(['ask_user_question']);
  expect(await callAndLook(server, project)).toEqual([]);
  // Bytes of other programs are kept beside the state file.
  project.write('.sgai/state.json', '{"status":"mine"}');
  await server.ok('update_workflow_state', { status: 'working' });
  expect(project.status()).toEqual([]);
  await server.close();
  const { url } = await serveHttpInProcess(project.root);
  expect((await fetch(new URL('/healthz', url))).status).toBe(200);
  expect(project.status()).toEqual([]);
  // What people write still is.
  project.write('.sgai/skills/new/SKILL.md', 'New\n');
  project.write('.deepwork/jobs/new/job.yml', '');
  const own = ['?? .deepwork/jobs/new/job.yml', '?? .sgai/skills/new/SKILL.md'];
  expect(project.status()).toEqual(own);
});

test('what a person wrote into .gitignore stays as it is', async () => {
  verifies('JOBS-X.20');
  const own = { '.sgai/.gitignore': '# Mine\n*\n', '.deepwork/.gitignore': '# Mine\n/tmp\n' };
  const project = newCommitted(own);
  await callAndLook(await connect(project.root), project);
  for (const [file, text] of Object.entries(own)) {
    expect(readFileSync(project.path(file), 'utf8')).toBe(text);
  }
});

test('nor is anything shown before a change of a file, which is what a kill there would leave', async () => {
  verifies('JOBS-X.18');
  const project = newCommitted();
  const log = path.join(tempFolder(), 'status.jsonl');
  const preload = fileURLToPath(new URL('../support/kill-at-change.cjs', import.meta.url));
  const server = await connectToProcess(project.root, {
    closeAfterTest: false,
    env: {
      NODE_OPTIONS: `--require ${preload}`,
      DEEPWORK_KILL_IN: project.root,
      DEEPWORK_STATUS_LOG: log,
    },
  });
  const changing = /start_workflow|finished_step|update_workflow_state|send_message/;
  for (const [tool, args] of CALLS) if (changing.test(tool)) await server.call(tool, args);
  await server.close();
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
  // The journal, a view, a state file: each has several changes.
  expect(lines.length).toBeGreaterThan(20);
  const visible: string[] = lines.flatMap((line) => JSON.parse(line));
  // Created and not filled yet: the next process that writes fills it.
  const empty = /^\?\? (\.deepwork|\.sgai)\/(\w+\/)?\.gitignore$/;
  expect(visible.filter((line) => !empty.test(line))).toEqual([]);
  expect(visible.length).toBeLessThanOrEqual(2);
});
