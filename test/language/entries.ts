// Projects whose workflow has loops, lists, approvals or nested runs, a real agent in them, and a
// person who answers from a terminal.

import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { command } from '../support/command.ts';
import {
  type Connection,
  type ConnectOptions,
  connect,
  connectToProcess,
  type ProcessConnection,
} from '../support/connect.ts';
import { newHome } from '../support/http.ts';
import { newProject, type Project, type StepSpec, writeJob } from '../support/project.ts';
import { type RefusalSeen, readRefusal } from '../support/refusal.ts';
import type { Ran } from '../support/run-command.ts';

export interface Answered {
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
  readonly [key: string]: any;
}

export interface Run {
  readonly project: Project;
  readonly home: string;
  readonly agent: Connection;
  /** The first step's id. */
  readonly session: string;
  finish(outputs: unknown, more?: Record<string, unknown>): Promise<Answered>;
  refusal(outputs: unknown, more?: Record<string, unknown>): Promise<RefusalSeen>;
  person(question: string, ...how: string[]): Promise<Ran>;
  /** A command of the same user, in the project. */
  deepwork(...args: string[]): Promise<Ran>;
  /** The session as people read it. */
  view(session?: string): Answered;
  /** What its history has of one kind, oldest first. */
  events(kind: string): Answered[];
}

/** One whose server is a process, which may be killed. */
export interface ProcessRun extends Run {
  readonly agent: ProcessConnection;
  /** Another server on the same project, of the same user, in this process. */
  connect(): Promise<Connection>;
}

export interface RunSpec {
  readonly entries: readonly unknown[];
  readonly steps: Readonly<Record<string, StepSpec>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** Other jobs, each with one workflow `main`. */
  readonly jobs?: Readonly<Record<string, Pick<RunSpec, 'entries' | 'steps' | 'inputs'>>>;
  readonly start?: Readonly<Record<string, unknown>>;
  readonly args?: readonly string[];
  /** Settings of the gate. */
  readonly gate?: Readonly<Record<string, unknown>>;
  /** For a second run of the same user, and on another era or client. */
  readonly options?: Omit<ConnectOptions, 'args'>;
  /** Done before the run begins. */
  readonly prepare?: (project: Project) => void;
  readonly wait?: number;
  readonly within?: number;
}

export const START = { goal: 'Get it done', job_name: 'work', workflow_name: 'main' };

export function entriesProject(spec: RunSpec): Project {
  const { wait = 1, within = 30, files = {} } = spec;
  const project = newProject({
    '.deepwork/config.yml': JSON.stringify({
      git: { branch: 'off' },
      quality_gate: { answer_within: within, ...spec.gate },
      team: { question_wait_seconds: wait },
    }),
    ...files,
  });
  for (const [name, { entries, steps, inputs }] of Object.entries({ work: spec, ...spec.jobs })) {
    const workflow = { name: 'main', summary: 'All of it', steps: entries };
    const workflows = [{ ...workflow, ...(inputs && { inputs }) }];
    writeJob(project, name, steps, {}, { workflows });
  }
  return project;
}

export function startRun(spec: RunSpec): Promise<Run> {
  return startOn(connect, spec);
}

export async function startProcessRun(
  spec: RunSpec,
  own: Readonly<Record<string, string>> = {},
): Promise<ProcessRun> {
  const run = await startOn(
    (root, { args, env }) => connectToProcess(root, { args, env: { ...env, ...own } }),
    spec,
  );
  const { project, home } = run;
  const options = { args: argumentsOf(spec), env: { HOME: home, ...own } };
  return { ...run, connect: () => connect(project.root, options) };
}

function argumentsOf({ args = ['--trust'] }: RunSpec): readonly string[] {
  return args;
}

async function startOn<Server extends Connection>(
  connectTo: (root: string, options: ConnectOptions) => Promise<Server>,
  spec: RunSpec,
): Promise<Run & { readonly agent: Server }> {
  const project = entriesProject(spec);
  spec.prepare?.(project);
  const { env: own, ...options } = spec.options ?? {};
  const env = { HOME: newHome(), ...own };
  const { HOME: home } = env;
  const agent = await connectTo(project.root, { ...options, args: argumentsOf(spec), env });
  const started = await agent.ok('start_workflow', { ...START, ...spec.start });
  const session = started.stack[0].session_id;
  const deepwork = (...args: string[]) => command(args, { cwd: project.root, env: { HOME: home } });
  const view = (id = session) =>
    JSON.parse(readFileSync(project.path(`.deepwork/tmp/session_${id}.json`), 'utf8'));
  return {
    project,
    home,
    agent,
    session,
    deepwork,
    view,
    events: (kind) => view().history.filter(({ event }: Answered) => event === kind),
    finish: (outputs, more = {}) => agent.ok('finished_step', { outputs, ...more }),
    refusal: async (outputs, more = {}) =>
      readRefusal(await agent.call('finished_step', { outputs, ...more })),
    person: (question, ...how) => deepwork('answer', question, ...how, '--by', 'ann'),
  };
}

/** The id of the question that an answer names. */
export function questionIn(answer: Answered): string {
  expect(answer).toMatchObject({ status: 'needs_work', reason: 'waiting_for_person' });
  // One that is void comes before it.
  const id = answer.feedback.match(/q-\d+/g)?.at(-1);
  expect(id, answer.feedback).toBeDefined();
  return id as string;
}

/** Waits for a person at the entry where the run stands: the question that is open. */
export async function asked(run: Run, outputs: unknown = {}): Promise<string> {
  return questionIn(await run.finish(outputs));
}
