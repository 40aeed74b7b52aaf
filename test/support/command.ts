// Runs a command of the built program in the test's own process, with the arguments, folder,
// environment and streams that it would have as a process: what a command prints costs a hundredth
// of a process that way. It is for commands that read, or that change files and end: nothing of it
// may depend on when a process ends or on who started it. Those, and a command of each kind, are
// tested with `deepwork`. With DEEPWORK_TEST_STDIO=1 every command is a process.
//
// Not for `run`, `serve` and `doctor`, which end their process: here that is the worker of all tests.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import vm from 'node:vm';
import { BINARY } from './connect.ts';
import { isUnderAgent, personEnv } from './person.ts';
import { deepwork, type Ran, type RunOptions } from './run-command.ts';

type Commands = typeof import('../../src/cli/commands.ts');

let loaded: Commands | undefined;
let last: Promise<unknown> = Promise.resolve();

/** One after the other: a process has one folder, one environment and one output. */
export function command(args: readonly string[], options: RunOptions): Promise<Ran> {
  // Commands for people look at the processes above them, which are this one's.
  if (isUnderAgent || process.env.DEEPWORK_TEST_STDIO === '1') return deepwork(args, options);
  const ran = last.then(() => runHere(args, options));
  last = ran.catch(() => {});
  return ran;
}

async function runHere(args: readonly string[], options: RunOptions): Promise<Ran> {
  const { runNamedCommand, printFailure } = commands();
  const stdout = collected();
  const stderr = collected();
  const restore = [
    useFolder(options.cwd),
    useEnvironment({ ...personEnv(), ...options.env }),
    keepListeners(),
    useStream('stdin', Readable.from([options.input ?? ''])),
    useStream('stdout', stdout.stream),
    useStream('stderr', stderr.stream),
  ];
  try {
    const code = await runNamedCommand(args).catch(printFailure);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    for (const undo of restore.reverse()) undo();
  }
}

/** As `main.cjs` loads them. */
function commands(): Commands {
  if (loaded !== undefined) return loaded;
  const folder = path.dirname(BINARY);
  const file = path.join(folder, 'commands.cjs');
  const module = { exports: {} };
  const wrapped = new vm.Script(readFileSync(file, 'latin1'), { filename: file });
  wrapped.runInThisContext()(module.exports, createRequire(file), module, file, folder);
  loaded = module.exports as Commands;
  return loaded;
}

function collected() {
  let text = '';
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  return { stream, text: () => text };
}

function useFolder(folder: string): () => void {
  const before = process.cwd();
  process.chdir(folder);
  return () => process.chdir(before);
}

function useEnvironment(env: Readonly<Record<string, string>>): () => void {
  const before = { ...process.env };
  setEnvironment(env);
  return () => setEnvironment(before);
}

/** In place: others hold on to the object. */
function setEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
}

/** A command that can be interrupted listens for signals until its process ends. */
function keepListeners(): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const before = signals.map((signal) => process.listeners(signal));
  return () => {
    for (const [at, signal] of signals.entries()) {
      for (const listener of process.listeners(signal)) {
        if (!before[at]?.includes(listener)) process.off(signal, listener);
      }
    }
  };
}

function useStream(name: 'stdin' | 'stdout' | 'stderr', stream: Readable | Writable): () => void {
  const before = Object.getOwnPropertyDescriptor(process, name) as PropertyDescriptor;
  Object.defineProperty(process, name, { value: stream, configurable: true });
  return () => Object.defineProperty(process, name, before);
}
