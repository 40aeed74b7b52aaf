// Runs that have ended, for tests of what is kept of them.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { command } from '../support/command.ts';
import { connect, connectToProcess } from '../support/connect.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import type { Ran } from '../support/run-command.ts';

export function newRecords(config = 'git:\n  branch: off\n'): Project {
  const project = newProject({ '.deepwork/config.yml': config, 'a.md': 'A\n', 'b.md': 'B\n' });
  const steps = { a: { outputs: { one: 'file' } }, b: { outputs: { two: 'file' } } };
  writeJob(project, 'demo', steps, { main: ['a', 'b'], short: ['a'] });
  return project;
}

interface StartOptions {
  readonly instance?: string;
  /** How many sessions nest; all but the last stay open until it has ended. */
  readonly depth?: number;
}

/** Plays runs to their end, as one agent; the ids, the outermost first. */
export async function finishedRun(project: Project, options: StartOptions = {}): Promise<string[]> {
  const { instance, depth = 1 } = options;
  const server = await connect(project.root);
  const ids: string[] = [];
  for (let level = 0; level < depth; level++) {
    const started = await server.ok('start_workflow', {
      goal: 'Get it done',
      job_name: 'demo',
      workflow_name: 'short',
      ...(instance !== undefined && { instance_id: `${instance}${level === 0 ? '' : level}` }),
    });
    ids.push((started.begin_step as { session_id: string }).session_id);
  }
  for (let level = 0; level < depth; level++) {
    await server.ok('finished_step', { outputs: { one: 'a.md' } });
  }
  await server.close();
  return ids;
}

/** Leaves a run at its second step; its id. */
export async function openRun(project: Project): Promise<string> {
  const server = await connectToProcess(project.root);
  const started = await server.ok('start_workflow', {
    goal: 'Go on',
    job_name: 'demo',
    workflow_name: 'main',
    instance_id: 'open',
  });
  await server.ok('finished_step', { outputs: { one: 'a.md' } });
  await server.close();
  return (started.begin_step as { session_id: string }).session_id;
}

export function commandIn(project: Project, ...args: string[]): Promise<Ran> {
  return command([...args, '--path', project.root], { cwd: project.root });
}

/** Every file of the project with its content and the time of its last change. */
export function everyFile(root: string): Record<string, string> {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return Object.fromEntries(
    files.map((name) => {
      const file = path.join(root, name);
      const facts = statSync(file);
      const text = facts.isFile()
        ? createHash('sha256').update(readFileSync(file)).digest('hex')
        : '';
      return [name, `${facts.mtimeMs} ${text}`];
    }),
  );
}
