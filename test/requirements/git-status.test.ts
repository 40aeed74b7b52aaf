// What deepwork writes into a project never shows up in `git status`, from the first call on,
// whatever is called, and wherever a server is killed: real repositories, the real git.

import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type Connection, connect, connectToProcess } from '../support/connect.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { newProject, type Project, REVIEW, writeJob } from '../support/project.ts';
import { chooseSeed, randomFrom } from '../support/random.ts';
import { newRepository } from '../support/repository.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';

const START = { goal: 'Try it', job_name: 'demo', workflow_name: 'main' };
const OUTPUTS = { outputs: { report: 'report.md' } };
const KILL_AT_CHANGE = fileURLToPath(new URL('../support/kill-at-change.cjs', import.meta.url));

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
  return withStatus(project);
}

/** Cheaper than committing everything again. */
function copyOf({ root }: Committed): Committed {
  const copy = newProject();
  cpSync(root, copy.root, { recursive: true, preserveTimestamps: true });
  return withStatus(copy);
}

function withStatus(project: Project): Committed {
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

describe('git status shows nothing', () => {
  test('after any call, nor when the server has ended', async () => {
    verifies('JOBS-X.20', 'TEAM-42');
    const project = newCommitted();
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
    expect(project.status()).toEqual([]);
  });

  test('where a team keeps its skills in .sgai, but shows a new skill', async () => {
    const project = newCommitted({ '.sgai/skills/own/SKILL.md': 'Own\n' });
    const server = await connect(project.root);
    expect(await callAndLook(server, project)).toEqual([]);
    project.write('.sgai/skills/new/SKILL.md', 'New\n');
    project.write('.deepwork/jobs/new/job.yml', '');
    expect(project.status()).toEqual([
      '?? .deepwork/jobs/new/job.yml',
      '?? .sgai/skills/new/SKILL.md',
    ]);
  });

  test('after a server over HTTP was asked for its health, and nothing else', async () => {
    const project = newCommitted();
    const { url } = await serveHttpInProcess(project.root);
    expect((await fetch(new URL('/healthz', url))).status).toBe(200);
    expect(project.status()).toEqual([]);
  });

  test('but what a person wrote into .gitignore stays as it is', async () => {
    const own = { '.sgai/.gitignore': '# Mine\n*\n', '.deepwork/.gitignore': '# Mine\n/tmp\n' };
    const project = newCommitted(own);
    const server = await connect(project.root);
    for (const [tool, args] of CALLS) await server.call(tool, args).catch(() => {});
    for (const [file, text] of Object.entries(own)) {
      expect(readFileSync(project.path(file), 'utf8')).toBe(text);
    }
  });
});

const CHANGING = ['start_workflow', 'finished_step', 'update_workflow_state', 'send_message'];
const KILLED = CALLS.filter(([tool]) => CHANGING.includes(tool));
/** Created and not filled yet: the only thing that a kill can leave visible. */
const EMPTY_IGNORE = /^\?\? (\.deepwork|\.sgai)\/(\w+\/)?\.gitignore$/;

/** Runs all of them on a server that is killed before its nth change, if it gets that far. */
async function callUntilKilled(project: Project, env: Record<string, string>): Promise<boolean> {
  const server = await connectToProcess(project.root, {
    closeAfterTest: false,
    env: {
      NODE_OPTIONS: `--require ${KILL_AT_CHANGE}`,
      DEEPWORK_KILL_IN: project.root,
      ...env,
    },
  });
  let dead = false;
  for (const [tool, args] of KILLED) {
    dead ||= await server.call(tool, args).then(
      () => false,
      () => true,
    );
  }
  await server.close().catch(() => {});
  return dead;
}

/** What git shows before each change of a server that no one kills. */
async function statusBeforeChanges(project: Project): Promise<string[][]> {
  const log = path.join(tempFolder(), 'status.jsonl');
  expect(await callUntilKilled(project, { DEEPWORK_STATUS_LOG: log })).toBe(false);
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

/**
 * The changes that differ, and some others: a process for each of them would take long. The last
 * changes come when the server ends, and may be one more or less.
 */
function changesToKillAt(seen: readonly string[][]): number[] {
  const random = randomFrom(chooseSeed());
  const visible = [...seen.keys()].filter((at) => seen[at]?.length !== 0);
  const early = [...seen.keys()].slice(0, seen.length / 2);
  const others = random.shuffle(early).slice(0, 3);
  return [...new Set([...visible, ...others])].map((at) => at + 1);
}

test('a kill -9 at any change leaves nothing visible to git', { timeout: 120_000 }, async () => {
  verifies('JOBS-X.18');
  const committed = newCommitted();
  const seen = await statusBeforeChanges(copyOf(committed));
  // The journal, a view, a state file: each has several changes.
  expect(seen.length).toBeGreaterThan(20);
  const visible = seen.filter((lines) => lines.length > 0);
  expect(visible.length).toBeLessThanOrEqual(2);
  for (const lines of visible) expect(lines).toEqual([expect.stringMatching(EMPTY_IGNORE)]);
  for (const at of changesToKillAt(seen)) {
    const project = copyOf(committed);
    const isDead = await callUntilKilled(project, { DEEPWORK_KILL_AT: String(at) });
    expect(isDead, `killed before change ${at}`).toBe(true);
    const left = project.status();
    if (left.length === 0) continue;
    expect(left, `killed before change ${at}`).toEqual([expect.stringMatching(EMPTY_IGNORE)]);
    expect(readFileSync(project.path(String(left[0]).slice(3)), 'utf8')).toBe('');
    const next = await connect(project.root);
    for (const [tool, args] of KILLED) await next.call(tool, args);
    expect(project.status(), 'filled by the next process that writes').toEqual([]);
    await next.close();
  }
});
