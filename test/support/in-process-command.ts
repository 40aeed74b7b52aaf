// The built command in the test's own process, for as long as it runs, with what it prints: `deepwork
// run` and `deepwork serve`, and all others by way of `command.ts` and `hook.ts`. Tests about
// processes, signals, terminals or crashes start a process (`run-command.ts`), and so does every test
// with DEEPWORK_TEST_STDIO=1.
//
// The command finds its own environment, folder, arguments, streams and end of the process. What the
// system looks up itself (the home folder, relative paths) is that of the command begun last.

import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Readable } from 'node:stream';
import vm from 'node:vm';
import { onTestFinished } from 'vitest';
import { BINARY } from './connect.ts';
import { isUnderAgent } from './person.ts';
import type { Ran } from './run-command.ts';

type Commands = typeof import('../../src/cli/commands.ts');

/** False if processes are asked for, or if an agent started this one: it may not do what people may. */
export const CAN_RUN_HERE = !isUnderAgent && process.env.DEEPWORK_TEST_STDIO !== '1';

export interface InProcessOptions {
  readonly cwd: string;
  /** All of it. */
  readonly env: Readonly<Record<string, string>>;
  /** Empty by default. */
  readonly input?: string;
}

export interface InProcessCommand {
  out(): string;
  err(): string;
  readonly ended: Promise<Ran>;
}

/** Runs a program within its world; returns its exit code. */
export type Program = (args: readonly string[], input: string) => Promise<number>;

let last: Promise<unknown> = Promise.resolve();

/** One after the other: a process has one folder and one environment. */
export function runInTurn(
  args: readonly string[],
  options: InProcessOptions,
  program?: Program,
): Promise<Ran> {
  const ran = last.then(() => beginInProcess(args, options, program).ended);
  last = ran.catch(() => {});
  return ran;
}

export function beginInProcess(
  args: readonly string[],
  { cwd, env, input = '' }: InProcessOptions,
  program: Program = runCommand,
): InProcessCommand {
  const world: World = {
    cwd,
    env: { ...env },
    argv: [process.execPath, BINARY, ...args],
    stdin: Readable.from([input]),
    stdout: '',
    stderr: '',
    listeners: [],
    exit: () => {},
  };
  let isOver = false;
  const ended = runIn(world, () => program(args, input)).finally(() => {
    isOver = true;
  });
  onTestFinished(async () => {
    const stops = world.listeners.filter(({ event }) => event === 'SIGTERM' && !isOver);
    for (const { listener } of stops) worlds.run(world, listener);
    await ended;
  });
  return { out: () => world.stdout, err: () => world.stderr, ended };
}

/** What a command has of its process. */
interface World extends Surroundings {
  readonly argv: readonly string[];
  readonly stdin: Readable;
  stdout: string;
  stderr: string;
  /** For signals, and the end of the process. */
  readonly listeners: { readonly event: string; readonly listener: () => void }[];
  exit(code: number): void;
}

/** What the system looks up in the whole process, too. */
type Surroundings = Pick<InProcessOptions, 'cwd' | 'env'>;

const worlds = new AsyncLocalStorage<World>();

async function runIn(world: World, program: () => Promise<number>): Promise<Ran> {
  const leave = enter(world);
  try {
    const code = await worlds.run(world, async () => {
      const exited = new Promise<number>((resolve) => {
        world.exit = resolve;
      });
      const code = await Promise.race([program(), exited]);
      // Some exit right after they have returned.
      await new Promise((resolve) => setImmediate(resolve));
      for (const { event, listener } of world.listeners) if (event === 'exit') listener();
      return code;
    });
    return { code, stdout: world.stdout, stderr: world.stderr };
  } finally {
    leave();
  }
}

function runCommand(args: readonly string[]): Promise<number> {
  const { printFailure, runNamedCommand } = builtCommands();
  return runNamedCommand(args).catch(printFailure);
}

let commands: Commands | null = null;

/** As src/bundles/load-bundle.ts loads it. */
function builtCommands(): Commands {
  if (commands !== null) return commands;
  const folder = path.dirname(BINARY);
  const file = path.join(folder, 'commands.cjs');
  const script = new vm.Script(readFileSync(file, 'latin1'), { filename: file });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, folder);
  commands = module.exports as Commands;
  return commands;
}

/** Those whose command is running, the newest last. */
const entered: World[] = [];
let restoreProcess = () => {};

/** Returns what leaves it again. */
function enter(world: World): () => void {
  if (entered.length === 0) restoreProcess = keepProcess();
  divertProcess();
  entered.push(world);
  surroundWith(world);
  return () => {
    entered.splice(entered.indexOf(world), 1);
    const newest = entered.at(-1);
    if (newest === undefined) restoreProcess();
    else surroundWith(newest);
  };
}

function surroundWith({ cwd, env }: Surroundings): void {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  for (const [name, value] of Object.entries(env)) {
    if (process.env[name] !== value) process.env[name] = value;
  }
}

function keepProcess(): () => void {
  const { exitCode } = process;
  const env = { ...process.env } as Record<string, string>;
  const before = { cwd: process.cwd(), env };
  const streams = [process.stdout, process.stderr].map((stream) => ({
    stream,
    listeners: stream.listeners('error') as (() => void)[],
  }));
  return () => {
    surroundWith(before);
    process.exitCode = exitCode;
    for (const { stream, listeners } of streams) {
      stream.removeAllListeners('error');
      for (const listener of listeners) stream.on('error', listener);
    }
  };
}

/**
 * A command finds what is in its world, and its output, listeners and exits go there; all others
 * find the process. This stays, for what a command does after its end, when its process would be gone.
 */
function divertProcess(): void {
  if (isDiverted) return;
  isDiverted = true;
  for (const name of ['stdout', 'stderr'] as const) {
    divert(process[name], 'write', (world) => (chunk: string | Uint8Array, ...rest: unknown[]) => {
      world[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
      const written = rest.at(-1);
      if (typeof written === 'function') process.nextTick(written as () => void);
      return true;
    });
  }
  for (const name of ['on', 'once'] as const) {
    divert(process, name, (world) => (event: string, listener: () => void) => {
      world.listeners.push({ event, listener });
      return process;
    });
  }
  divert(process, 'off', (world) => (_event: string, listener: () => void) => {
    const at = world.listeners.findIndex((each) => each.listener === listener);
    if (at !== -1) world.listeners.splice(at, 1);
    return process;
  });
  divert(process, 'env', (world) => world.env);
  divert(process, 'cwd', (world) => () => world.cwd);
  divert(process, 'argv', (world) => world.argv);
  divert(process, 'stdin', (world) => world.stdin);
  // It was started by this process, as one of its own would be.
  divert(process, 'ppid', () => process.pid);
  divert(process, 'exit', (world) => (code?: number | string | null) => {
    world.exit(Number(code ?? process.exitCode ?? 0));
  });
}

let isDiverted = false;

/** Within a world, a property is another one. Vitest sets some of them anew for every file. */
function divert<Owner extends object>(
  owner: Owner,
  name: keyof Owner,
  inWorld: (world: World) => unknown,
): void {
  let outside = Object.getOwnPropertyDescriptor(owner, name)?.get;
  const set = (value: unknown) => {
    outside = () => value;
  };
  if (outside === undefined) set(owner[name]);
  Object.defineProperty(owner, name, {
    configurable: true,
    enumerable: true,
    set,
    get() {
      const world = worlds.getStore();
      return world === undefined ? outside?.call(owner) : inWorld(world);
    },
  });
}
