// Runs a command for the gate: in its own process group, under a deadline, with bounded
// output. However it ends, every process left in its group is killed. A bare program name
// never means a file of the project.

import {
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
  type StdioOptions,
  spawn,
} from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import os from 'node:os';
import type { Readable } from 'node:stream';
import { requireFreshReads } from '../async/call-scope.ts';
import { Refused, refuse } from '../core/refusal.ts';
import { statFields } from '../environment/process/processes.ts';
import { programOf, shellProgram, withoutProjectPath } from '../environment/process/program.ts';

export interface CommandRequest {
  /** Program and arguments; `shell` runs the first one as a shell command line. */
  readonly argv: readonly [string, ...string[]];
  readonly shell?: boolean;
  /** The project: working directory, and base of a relative program path. */
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly input?: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly output: { readonly keep: 'all' | 'tail'; readonly limit: number };
}

export type CommandResult = { readonly milliseconds: number } & (
  | {
      readonly kind: 'exited';
      readonly code: number;
      readonly stdout: string;
      readonly stderr: string;
    }
  | { readonly kind: 'timed_out'; readonly stdout: string; readonly stderr: string }
  | { readonly kind: 'too_much_output' }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'failed'; readonly reason: string }
);

/** Nobody waits for the outcome any more, or the server stops. */
export class Cancelled extends Refused {
  constructor() {
    const next = 'make the same call again: nothing of it was recorded.';
    super(refuse('cancelled', 'The call ended before its work was judged', next));
  }
}

const MAX_STDERR_BYTES = 4 * 1024;
/** A grandchild may keep the pipes open after the command itself has exited. */
const DRAIN_MS = 250;

/** How each running command is ended, with its project. */
const running = new Map<() => void, string>();

/** For a server that stops: no command may outlive it. */
export function killCommandsOf(project: string): void {
  for (const [cancel, root] of running) if (root === project) cancel();
}

export async function runCommand(request: CommandRequest): Promise<CommandResult> {
  if (request.signal.aborted) throw new Cancelled();
  try {
    return await runNow(request);
  } finally {
    // It may have called us, as reviewers do.
    requireFreshReads();
  }
}

function runNow(request: CommandRequest): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const { root, shell = false } = request;
    const [name, ...args] = request.argv;
    const program = shell ? name : programOf(name, root, root, request.env);
    if (program === null || !(shell || existsSync(program))) {
      return resolve({ kind: 'not_found', milliseconds: 0 });
    }
    let child: ChildProcessWithoutNullStreams;
    try {
      child = start([program, ...args], request) as ChildProcessWithoutNullStreams;
    } catch (error) {
      // Some failures are thrown and not emitted: an environment that is too large, or has a NUL.
      return resolve({ kind: 'failed', reason: (error as Error).message, milliseconds: 0 });
    }
    const stdout = openTail(request.output.limit);
    const stderr = openTail(
      request.output.keep === 'all' ? MAX_STDERR_BYTES : request.output.limit,
    );
    let finished = false;

    const finish = (end: () => void) => {
      if (finished) return;
      finished = true;
      clearTimeout(deadline);
      request.signal.removeEventListener('abort', cancel);
      if (child.exitCode === null && child.signalCode === null) killStrays(child);
      killGroup(child);
      running.delete(cancel);
      end();
    };
    const done = (result: DistributiveOmit<CommandResult, 'milliseconds'>) =>
      finish(() =>
        resolve({ ...result, milliseconds: performance.now() - began } as CommandResult),
      );
    const cancel = () => finish(() => reject(new Cancelled()));
    running.set(cancel, root);
    const deadline = setTimeout(
      () => done({ kind: 'timed_out', stdout: stdout.text(), stderr: stderr.text() }),
      request.timeoutMs,
    );

    request.signal.addEventListener('abort', cancel);
    child.on('error', (error) => done({ kind: 'failed', reason: error.message }));
    child.stdout.on('data', (chunk: Buffer) => {
      stdout.add(chunk);
      if (request.output.keep === 'all' && stdout.overflowed()) done({ kind: 'too_much_output' });
    });
    child.stderr.on('data', (chunk: Buffer) => stderr.add(chunk));
    const exited = (code: number | null, signal: NodeJS.Signals | null) =>
      done({
        kind: 'exited',
        code: code ?? 128 + os.constants.signals[signal as NodeJS.Signals],
        stdout: stdout.text(),
        stderr: stderr.text(),
      });
    child.on('exit', (code, signal) => {
      const over = () => exited(code, signal);
      setTimeout(over, DRAIN_MS).unref();
      void Promise.all([child.stdout, child.stderr].map(untilClosed)).then(over);
    });
    // A command that does not read its input may close the pipe early.
    for (const pipe of [child.stdin, child.stdio[3]]) pipe?.on('error', () => {});
    child.stdin.end(request.input ?? '');
  });
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/**
 * Runs a command with a watcher in its group that is there first. If this process is killed, the
 * system closes the pipe that the watcher reads, and the watcher kills the group, after what left it but
 * is still in the session: `timeout` makes a group of its own.
 */
const GUARDED = `({ read -r _ <&3
for p in /proc/[0-9]*; do
  read -r s <"$p/stat" || continue
  set -- \${s##*) }
  [ "$4" = $$ ] && [ "$3" != $$ ] && kill -KILL "\${p#/proc/}"
done
kill -KILL 0; } </dev/null >/dev/null 2>&1 &); exec 3<&-; exec "$@"`;

function start(
  argv: readonly [string, ...string[]],
  { root: cwd, shell = false, env: given }: CommandRequest,
): ChildProcess {
  const env = withoutProjectPath(given, cwd);
  const stdio: StdioOptions = ['pipe', 'pipe', 'pipe', 'pipe'];
  if (process.platform === 'win32') {
    const [program, ...args] = argv;
    return spawn(program, args, {
      cwd,
      env,
      shell: shell && shellProgram(),
      detached: true,
      stdio,
    });
  }
  const command = shell ? [shellProgram(), '-c', ...argv] : argv;
  const args = ['-c', GUARDED, 'sh', ...command];
  return spawn(shellProgram(), args, { cwd, env, detached: true, stdio });
}

/** The watcher keeps the other pipe open, so `close` of the process is too late. */
function untilClosed(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.closed) resolve();
    else stream.once('close', resolve);
  });
}

/** What left the group of a command that is ended early, but is still in its session. */
function killStrays({ pid }: ChildProcess): void {
  if (pid === undefined || process.platform !== 'linux') return;
  const own = String(pid);
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const [, , group, session] = statFields(Number(name)) ?? [];
    if (session !== own || group === own) continue;
    try {
      process.kill(Number(name), 'SIGKILL');
    } catch {
      // It has just ended.
    }
  }
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group is already gone.
  }
  for (const stream of child.stdio) stream?.destroy();
}

/** Keeps the last `limit` bytes of its input. */
function openTail(limit: number) {
  let chunks: Buffer[] = [];
  let kept = 0;
  let seen = 0;
  return {
    add(chunk: Buffer) {
      seen += chunk.length;
      chunks.push(chunk);
      kept += chunk.length;
      while (chunks.length > 1 && kept - (chunks[0] as Buffer).length >= limit) {
        kept -= (chunks.shift() as Buffer).length;
      }
    },
    overflowed: () => seen > limit,
    text() {
      const all = Buffer.concat(chunks);
      chunks = [all];
      return all.subarray(Math.max(0, all.length - limit)).toString('utf8');
    },
  };
}
