// Unattended runs of the built command, with scripted agents, and what they leave.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { command } from '../support/command.ts';
import { BINARY } from '../support/connect.ts';
import { cleanEnv, newHome } from '../support/http.ts';
import { beginInProcess, CAN_RUN_HERE } from '../support/in-process-command.ts';
import { asPerson } from '../support/person.ts';
import { newProject, type Project, type StepSpec, writeJob } from '../support/project.ts';
import type { Ran } from '../support/run-command.ts';
import { tempFolder } from '../support/temp-folder.ts';

const AGENT = fileURLToPath(new URL('./scripted-agent.cjs', import.meta.url));

/** As `--command` takes it. */
export function scripted(...modes: readonly string[]): string {
  return [process.execPath, AGENT, ...modes].map((word) => `'${word}'`).join(' ');
}

export interface Scene {
  readonly project: Project;
  readonly home: string;
  /** Where the agent notes what it was given. */
  readonly notes: string;
}

/** A job of these steps, each with one file that must say `Done`. */
export function newScene(steps: readonly string[] = ['draft', 'publish'], config = ''): Scene {
  const project = newProject();
  project.write('.deepwork/config.yml', `git:\n  branch: off\n${config}`);
  writeSteps(project, steps);
  return { project, home: newHome(), notes: path.join(tempFolder(), 'notes') };
}

export interface LanguageScene {
  readonly entries: readonly unknown[];
  /** Each has one file; its text is the instruction. */
  readonly steps: Readonly<Record<string, string>>;
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** Of steps that are more than that. */
  readonly more?: Readonly<Record<string, StepSpec>>;
  readonly config?: string;
}

/** The same job with loops, lists, approvals and inputs; the output of a step is called like it. */
export function newLanguageScene(spec: LanguageScene): Scene {
  const { entries, steps, inputs, more = {}, config = '' } = spec;
  const project = newProject();
  const settings = 'git:\n  branch: off\nteam:\n  question_wait_seconds: 1\n';
  project.write('.deepwork/config.yml', `${settings}${config}`);
  const workflow = {
    name: 'main',
    summary: 'All of it',
    steps: entries,
    ...(inputs && { inputs }),
  };
  const specs = Object.fromEntries(
    Object.keys(steps).map((id) => [id, { outputs: { [id]: 'file' }, ...more[id] }]),
  );
  writeJob(project, 'demo', specs, {}, { workflows: [workflow] });
  for (const [id, text] of Object.entries(steps)) {
    project.write(`.deepwork/jobs/demo/steps/${id}.md`, `${text}\n`);
  }
  return { project, home: newHome(), notes: path.join(tempFolder(), 'notes') };
}

function writeSteps(project: Project, steps: readonly string[]): void {
  const rules = [{ type: 'contains', value: 'Done', message: 'Say something good' }];
  writeJob(
    project,
    'demo',
    Object.fromEntries(
      steps.map((step) => [
        step,
        { outputs: { [`${step}.md`]: { type: 'file', description: 'It', required: true, rules } } },
      ]),
    ),
    { main: steps },
  );
}

export interface RunningRun {
  out(): string;
  err(): string;
  readonly ended: Promise<number | null>;
}

interface RunProcess extends RunningRun {
  readonly child: ChildProcess;
}

export interface RunArguments {
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the project. */
  readonly cwd?: string;
}

/** Begins `deepwork run` with these arguments, in the test's own process. */
export function begin(
  scene: Scene,
  args: readonly string[],
  options: RunArguments = {},
): RunningRun {
  if (!CAN_RUN_HERE) return beginProcess(scene, args, options);
  const { project, home, notes } = scene;
  const { env = {}, cwd = project.root } = options;
  const running = beginInProcess(['run', ...args], {
    cwd,
    env: { ...cleanEnv(home), AGENT_NOTES: notes, ...env },
  });
  return { ...running, ended: running.ended.then(({ code }) => code) };
}

/** The same in a process of its own, for tests that end it or look at its processes. */
export function beginProcess(
  { project, home, notes }: Scene,
  args: readonly string[],
  { env = {}, cwd = project.root }: RunArguments = {},
): RunProcess {
  const person = asPerson(process.execPath, [BINARY, 'run', ...args]);
  const child = spawn(person.file, [...person.args], {
    cwd,
    env: { ...cleanEnv(home), AGENT_NOTES: notes, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    err += text;
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => resolve(code));
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, out: () => out, err: () => err, ended };
}

export interface EndedRun {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  /** What it printed with `--json`. */
  // biome-ignore lint/suspicious/noExplicitAny: events are looked into freely by tests
  readonly events: any[];
}

/** Runs the demo job with a scripted agent until it ends. */
export async function runDemo(
  scene: Scene,
  modes: readonly string[],
  more: readonly string[] = [],
): Promise<EndedRun> {
  return finish(begin(scene, demoArguments(modes, more)));
}

export function demoArguments(modes: readonly string[], more: readonly string[] = []): string[] {
  return ['demo/main', '--goal', 'Try it', '--command', scripted(...modes), '--json', ...more];
}

export async function finish(running: RunningRun): Promise<EndedRun> {
  const code = await running.ended;
  const events = running
    .out()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  return { code, out: running.out(), err: running.err(), events };
}

/** A command of the person of this project. */
export function by({ project, home }: Scene, ...args: readonly string[]): Promise<Ran> {
  return command(args, { cwd: project.root, env: { HOME: home } });
}

/** What the agent was given in each turn, oldest first. */
// biome-ignore lint/suspicious/noExplicitAny: notes are looked into freely by tests
export function turnsOf({ notes }: Scene): any[] {
  return noted(notes, 'turn-');
}

// biome-ignore lint/suspicious/noExplicitAny: notes are looked into freely by tests
export function answersOf({ notes }: Scene): any[] {
  return noted(notes, 'answer-');
}

/** The processes that the agent noted to have started. */
// biome-ignore lint/suspicious/noExplicitAny: notes are looked into freely by tests
export function childrenOf({ notes }: Scene): any[] {
  return noted(notes, 'child-');
}

function noted(folder: string, start: string) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.startsWith(start))
    .sort((a, b) => numberIn(a) - numberIn(b))
    .map((name) => JSON.parse(readFileSync(path.join(folder, name), 'utf8')));
}

function numberIn(name: string): number {
  return Number(/\d+/.exec(name)?.[0]);
}

export interface JournalEvent {
  readonly seq: number;
  readonly type: string;
  readonly at: string;
  // biome-ignore lint/suspicious/noExplicitAny: events are looked into freely by tests
  readonly data: any;
}

/** Every event of the streams in a folder of the journal, but for a line that is being written. */
export function journalOf({ project }: Scene, folder: 'run' | 'session'): JournalEvent[] {
  const place = project.path(`.deepwork/journal/${folder}`);
  if (!existsSync(place)) return [];
  return readdirSync(place)
    .filter((name) => name !== 'checkout.jsonl')
    .flatMap((name) => readFileSync(path.join(place, name), 'utf8').split('\n').slice(0, -1))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

export function typesOf(events: readonly JournalEvent[]): string[] {
  return events.map(({ type }) => type);
}

/** How often each step was accepted. */
export function acceptedSteps(scene: Scene): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { type, data } of journalOf(scene, 'session')) {
    if (type !== 'judged') continue;
    for (const { step_id } of data.accepted) counts[step_id] = (counts[step_id] ?? 0) + 1;
  }
  return counts;
}

/** The process id of the run that began last, which has to be one of `beginProcess`. */
export function runnerOf(scene: Scene): number {
  const started = journalOf(scene, 'run').filter(({ type }) => type === 'run_started');
  const newest = started.toSorted((a, b) => (a.at < b.at ? -1 : 1)).at(-1);
  const pid = Number(newest?.data.process.split('/')[1]);
  if (pid === process.pid) throw new Error('This run is in the process of the test');
  return pid;
}
