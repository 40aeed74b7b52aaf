// Runs a command for the gate: in its own process group, under a deadline, with bounded
// output. However it ends, every process left in its group is killed. A bare program name
// never means a file of the project.

import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import os from 'node:os';
import { requireFreshReads } from '../async/call-scope.ts';
import { Refused, refuse } from '../core/refusal.ts';
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
    const program = shell ? name : programOf(name, root, root);
    if (program === null) return resolve({ kind: 'not_found', milliseconds: 0 });
    let child: ChildProcessWithoutNullStreams;
    try {
      child = spawn(program, args, {
        cwd: root,
        env: withoutProjectPath(request.env, root),
        shell: shell && shellProgram(),
        detached: true,
        stdio: ['pipe', 'pipe', 'pipe'],
      });
    } catch (error) {
      // Some failures are thrown and not emitted: an environment that is too large, or has a NUL.
      return resolve({ kind: 'failed', reason: (error as Error).message, milliseconds: 0 });
    }
    const watcher = killWithServer(child);
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
      killGroup(child);
      watcher?.kill('SIGKILL');
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
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') done({ kind: 'not_found' });
      else done({ kind: 'failed', reason: error.message });
    });
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
      setTimeout(() => exited(code, signal), DRAIN_MS).unref();
    });
    child.on('close', exited);
    // A command that does not read its input may close the pipe early.
    child.stdin.on('error', () => {});
    child.stdin.end(request.input ?? '');
  });
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/**
 * Kills the group if this process ends without doing so itself, as by SIGKILL: the watcher's input
 * is then closed by the system.
 */
function killWithServer({ pid }: ChildProcess): ChildProcess | null {
  if (pid === undefined || process.platform === 'win32') return null;
  const watcher = spawn(shellProgram(), ['-c', 'read -r _; kill -KILL "-$0"', String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    env: {},
  });
  // Without it, the command is only killed by a server that ends in order.
  watcher.on('error', () => {});
  return watcher;
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group is already gone.
  }
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
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
