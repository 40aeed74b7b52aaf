// One turn of an agent as a process in a group of its own. However it ends, everything in its
// group ends with it; when its time is up or a person stops the run, it gets a few seconds to end by
// itself. Processes that left the group are found by a mark in their environment
// (`left-processes.ts`).

import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import os from 'node:os';
import { withoutProjectPath } from '../environment/process/program.ts';
import type { AgentCommand, AgentProgram } from './agent.ts';
import { type OutputFacts, readOutput } from './agent-output.ts';

export interface TurnProcess {
  readonly agent: AgentProgram;
  readonly command: AgentCommand;
  readonly cwd: string;
  /** The project: a bare program name never means a file inside it. */
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  /** Ends the turn. */
  readonly signal: AbortSignal;
}

export interface TurnResult extends Omit<OutputFacts, 'said'> {
  readonly exit: number;
  /** Its last words, or the end of what it printed for people; empty: none. */
  readonly said: string;
  /** Its arguments cannot be given to any program, so another turn would end the same way. */
  readonly cannotStart?: true;
}

/** How long an agent may take to end by itself. */
const GRACE_MS = 5000;
/** Something of the group may keep the pipes open after the agent has exited. */
const DRAIN_MS = 250;
const CANNOT_RUN = 126;
const NOT_FOUND = 127;

export function runTurn(turn: TurnProcess): Promise<TurnResult> {
  const { agent, command, cwd, root, env, signal } = turn;
  const out = readOutput(agent.readObject, agent.readText);
  const err = readOutput(() => ({}), agent.readText);
  return new Promise((resolve) => {
    let child: ChildProcessWithoutNullStreams;
    try {
      child = spawn(command.program, [...command.args], {
        cwd,
        env: { ...withoutProjectPath(env, root), ...command.env, PWD: cwd },
        detached: true,
        stdio: ['pipe', 'pipe', 'pipe'],
      });
    } catch (error) {
      const said = whyNotGiven(command.args, error as NodeJS.ErrnoException);
      resolve({ ...out.facts(), exit: CANNOT_RUN, said, cannotStart: true });
      return;
    }
    let isOver = false;
    let kill: NodeJS.Timeout | undefined;
    const end = () => {
      signalGroup(child, 'SIGTERM');
      kill ??= setTimeout(() => signalGroup(child, 'SIGKILL'), GRACE_MS);
    };
    const over = (exit: number, problem = '') => {
      if (isOver) return;
      isOver = true;
      clearTimeout(kill);
      signal.removeEventListener('abort', end);
      signalGroup(child, 'SIGKILL');
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
      const inErrors = err.facts();
      const facts = out.facts();
      const words = (facts.said ?? out.tail()).trim();
      // Clients that succeed also print warnings to stderr.
      const texts = exit === 0 ? [words, err.tail()] : [problem, err.tail(), words];
      const said = texts.find((text) => text !== '') ?? '';
      resolve({ ...facts, limitUntil: facts.limitUntil ?? inErrors.limitUntil, exit, said });
    };
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (child.pid !== undefined) return;
      over(error.code === 'ENOENT' ? NOT_FOUND : CANNOT_RUN, error.message);
    });
    child.stdout.on('data', (chunk: Buffer) => out.take(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.take(chunk));
    const exited = (code: number | null, by: NodeJS.Signals | null) =>
      over(code ?? 128 + (by === null ? 1 : os.constants.signals[by]));
    child.on('exit', (code, by) => {
      setTimeout(() => exited(code, by), DRAIN_MS);
    });
    child.on('close', exited);
    // An agent that does not read its prompt may close the pipe early.
    child.stdin.on('error', () => {});
    child.stdin.end(command.input);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end);
  });
}

function whyNotGiven(args: readonly string[], { code, message }: NodeJS.ErrnoException): string {
  const why = args.some((arg) => arg.includes('\0'))
    ? 'one of its arguments has a NUL character'
    : code === 'E2BIG'
      ? 'its arguments are too long for this system'
      : message;
  return `The agent cannot be started: ${why}. If it is the prompt: in a --command without {prompt} it is given on stdin`;
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // Nothing of the group is left.
  }
}
