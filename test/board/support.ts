// Projects whose runs are looked at with the built command, and what a look must not change.

import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv/dist/ajv.js';
import { expect } from 'vitest';
import type { Board, Run, ShownEvent } from '../../src/board/run.ts';
import { command } from '../support/command.ts';
import { type Connection, connect, connectToProcess } from '../support/connect.ts';
import { newProject, type Project, REVIEW, writeJob } from '../support/project.ts';
import type { Ran } from '../support/run-command.ts';

export const START = { goal: 'Get it done', job_name: 'demo', workflow_name: 'main' };
export const SHORT = { ...START, workflow_name: 'short' };
export const REPORT = { outputs: { report: 'report.md' } };
export const QUESTION = { question: 'Which one?', choices: ['This', 'That'], multiSelect: false };

/** Three steps: a plain one, one with a rule, one whose review is asked for. */
export function newDemo(config: Readonly<Record<string, unknown>> = {}): Project {
  const project = newProject({
    '.deepwork/config.yml': JSON.stringify({ git: { branch: 'off' }, ...config }),
    'report.md': 'The report.\n',
    'page.md': 'The page.\n',
  });
  const page = {
    type: 'file',
    description: 'The page',
    required: true,
    rules: [{ type: 'contains', value: 'page', message: 'It has to speak of the page' }],
  };
  writeJob(
    project,
    'demo',
    {
      a: { outputs: { report: 'file' } },
      b: { outputs: { page } },
      c: { outputs: { report: 'file' }, reviews: [REVIEW] },
    },
    { main: ['a', 'b', 'c'], short: ['a'] },
  );
  return project;
}

/** The id of the new run. */
export async function start(agent: Pick<Connection, 'ok'>, args: object = START): Promise<string> {
  return (await agent.ok('start_workflow', { ...args })).begin_step.session_id;
}

/** Plays nested runs to their end, as one agent; the ids, the outermost first. */
export async function finishedRun(
  project: Project,
  { depth = 1, ...more }: { readonly depth?: number; readonly instance_id?: string } = {},
): Promise<string[]> {
  const server = await connect(project.root);
  const ids: string[] = [];
  for (let level = 0; level < depth; level++) ids.push(await start(server, { ...SHORT, ...more }));
  for (let level = 0; level < depth; level++) await server.ok('finished_step', REPORT);
  await server.close();
  return ids;
}

/** Leaves a run at its second step; its id. */
export async function openRun(project: Project): Promise<string> {
  const server = await connectToProcess(project.root);
  const id = await start(server, { ...START, instance_id: 'open' });
  await server.ok('finished_step', REPORT);
  await server.close();
  return id;
}

const ajv = new Ajv({ strict: true, strictTypes: false, allErrors: true });

/** Fails unless a value is what a published schema describes. */
export function expectSchema(name: string, value: unknown): void {
  const file = fileURLToPath(new URL(`../../schemas/${name}`, import.meta.url));
  const validate = ajv.getSchema(name) ?? ajv.compile(JSON.parse(readFileSync(file, 'utf8')));
  expect(validate(value) ? [] : validate.errors, JSON.stringify(value, null, 1)).toEqual([]);
}

export function commandIn(project: Project, ...args: string[]): Promise<Ran> {
  return command([...args, '--path', project.root], { cwd: project.root });
}

/** `deepwork status --json`, which has to be as its schema says. */
export async function statusOf(project: Project, ...more: string[]): Promise<Board> {
  const board = JSON.parse(await textOf(project, 'status', '--json', ...more)) as Board;
  expectSchema('status.schema.json', board);
  return board;
}

export async function runOf(project: Project, id: string): Promise<Run> {
  const run = (await statusOf(project)).runs.find(({ session_id }) => session_id === id);
  if (run === undefined) throw new Error(`status does not show ${id}`);
  return run;
}

export async function historyOf(
  project: Project,
  id: string,
): Promise<{ run: Run; events: ShownEvent[]; questions: object[] }> {
  const history = JSON.parse(await textOf(project, 'history', id, '--json'));
  expectSchema('history.schema.json', history);
  return history;
}

/** Of a command as text. */
export async function textOf(project: Project, ...args: string[]): Promise<string> {
  const ran = await commandIn(project, ...args);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  return ran.stdout;
}

/** Every name below a folder, with its mode, time and bytes. */
export function treeOf(folder: string): Record<string, string> {
  const tree: Record<string, string> = {};
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = path.join(folder, name);
    const stats = lstatSync(file);
    const bytes = stats.isFile()
      ? createHash('sha256').update(readFileSync(file)).digest('hex')
      : stats.isSymbolicLink()
        ? readlinkSync(file)
        : '';
    tree[name] = `${stats.mode} ${stats.mtimeMs} ${bytes}`;
  }
  return tree;
}
