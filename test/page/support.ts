// A project with a job of three steps, an agent, and the server that shows the page: two programs
// that share nothing but the journal, as for `deepwork dashboard`.

import { createHash } from 'node:crypto';
import { type Connection, connect } from '../support/connect.ts';
import type { HttpServerOptions } from '../support/http.ts';
import { type ServedInProcess, serveHttpInProcess } from '../support/in-process-serve.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';

export interface Shown<Server = ServedInProcess> {
  readonly project: Project;
  readonly server: Server;
  readonly agent: Connection;
  /** The JSON that the API answers with, and its status. */
  get(path: string, headers?: Record<string, string>): Promise<Got>;
}

export interface Got {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
  readonly body: any;
}

export function writeDemoJob(project: Project): void {
  const out = (name: string) => ({ outputs: { [name]: 'file' } });
  const steps = { plan: out('plan'), draft: out('text'), check: out('text') };
  writeJob(project, 'demo', steps, { main: ['plan', 'draft', 'check'], other: ['plan'] });
}

export function showProject(options: HttpServerOptions = {}): Promise<Shown> {
  return showProjectBy((root) => serveHttpInProcess(root, options));
}

/** For tests of the server's process. */
export async function showProjectBy<Server extends ServedInProcess>(
  serve: (root: string) => Promise<Server>,
): Promise<Shown<Server>> {
  const project = newProject();
  writeDemoJob(project);
  const server = await serve(project.root);
  const agent = await connect(project.root);
  return { project, server, agent, get: (path, headers) => getFrom(server.url, path, headers) };
}

export async function getFrom(
  url: string,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Got> {
  const answer = await fetch(`${url}${path}`, { headers, method, redirect: 'manual' });
  const text = await answer.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = text;
  }
  return { status: answer.status, headers: answer.headers, text, body };
}

/** Starts the job; the id of the run. */
export async function startDemo(agent: Connection, workflow = 'main'): Promise<string> {
  const { begin_step } = await agent.ok('start_workflow', {
    job_name: 'demo',
    workflow_name: workflow,
    goal: 'Show it',
  });
  return begin_step.session_id as string;
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
