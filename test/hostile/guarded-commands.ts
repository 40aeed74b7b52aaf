// Commands of the built binary under the guard, in a project that a test has prepared. They run in one
// process after the other; a command that hangs is killed with it, and the next gets a new one. With
// DEEPWORK_TEST_STDIO=1 each has a process of its own.

import { type ChildProcess, execFile, fork } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { BINARY } from '../support/connect.ts';
import { cleanEnv } from '../support/http.ts';
import { CAN_RUN_HERE } from '../support/in-process-command.ts';
import { asPerson } from '../support/person.ts';
import { answered, GUARD, HANGS_MS, type Note } from './runners.ts';

export interface GuardedCommand {
  readonly words: readonly string[];
  readonly root: string;
  readonly home: string;
  /** What it reads from its input; nothing by default. */
  readonly input?: string;
}

export interface Ended {
  readonly command: string;
  /** Null: it was killed, since it did not end by itself. */
  readonly code: number | null;
  readonly said: string;
  readonly notes: readonly Note[];
}

interface Call {
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
}

type Outcome = Pick<Ended, 'code' | 'said'>;

const RUNNER = fileURLToPath(new URL('command-runner.mjs', import.meta.url));

export async function runGuarded({
  words,
  root,
  home,
  input = '',
}: GuardedCommand): Promise<Ended> {
  const command = words.join(' ');
  const file = path.join(home, `${command.replaceAll('/', '-')}.notes`);
  const caches = [process.env.XDG_CACHE_HOME ?? []].flat();
  const env = {
    ...cleanEnv(home),
    NODE_OPTIONS: `--require ${GUARD}`,
    DEEPWORK_GUARD_NOTES: file,
    // The first command after a build writes V8's code cache.
    DEEPWORK_GUARD_WRITABLE: [root, home, ...caches].join(path.delimiter),
  };
  rmSync(file, { force: true });
  const run = CAN_RUN_HERE ? runInTurn : runAlone;
  const outcome = await run({ words, cwd: root, env, input });
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
  return { command, ...outcome, notes: lines.map((line) => JSON.parse(line)) };
}

let runner: Promise<ChildProcess> | null = null;
let last: Promise<unknown> = Promise.resolve();

function runInTurn(call: Call): Promise<Outcome> {
  const ran = last.then(() => runInRunner(call));
  last = ran.catch(() => {});
  return ran;
}

/** Call it after all tests of a file. */
export async function endRunner(): Promise<void> {
  const child = await runner;
  runner = null;
  if (child?.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

async function runInRunner(call: Call): Promise<Outcome> {
  runner ??= startRunner(call.env);
  const child = await runner;
  const answer = answered(child).catch(() => null);
  child.send(call);
  const outcome = (await answer) as (Outcome & { readonly isIdle: boolean }) | null;
  if (!outcome?.isIdle) await endRunner();
  return { code: outcome?.code ?? null, said: outcome?.said ?? '' };
}

async function startRunner(env: Call['env']): Promise<ChildProcess> {
  const child = fork(RUNNER, { env, execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  await answered(child);
  return child;
}

function runAlone({ words, cwd, env, input }: Call): Promise<Outcome> {
  const { file, args } = asPerson(process.execPath, [BINARY, ...words]);
  const limits = { timeout: HANGS_MS, killSignal: 'SIGKILL' } as const;
  return new Promise((resolve) => {
    const child = execFile(file, args, { cwd, env, ...limits }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, said: stdout + stderr }),
    );
    child.stdin?.on('error', () => {}).end(input);
  });
}
