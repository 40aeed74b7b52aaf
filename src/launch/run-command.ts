// Runs a launch's command as if it had been called directly: the same terminal, every signal
// passed on, and its exit code, or 128 plus the signal's number, as a shell reports it.

import { spawn } from 'node:child_process';
import os from 'node:os';
import { programOf, withoutProjectPath } from '../environment/process/program.ts';
import type { Signals } from '../environment/process/signals.ts';

/** Of the process that runs it: the command itself always has the process's own streams. */
export interface LaunchPlace {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: { readonly isTTY?: boolean };
  readonly stderr: { write(text: string): unknown };
  readonly signals: Signals;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2', 'SIGCONT'] as const;

/** A terminal sends these to the whole process group; passed on, they would arrive twice. */
const FROM_TERMINAL: readonly string[] = ['SIGINT', 'SIGQUIT'];

const CANNOT_RUN = 126;
const NOT_FOUND = 127;

export interface LaunchCommand {
  readonly words: readonly string[];
  /** The folder from which a relative path to the program is resolved. */
  readonly from: string;
}

/** Runs in the project's folder; a bare program name never means a file inside it. */
export function runLaunchCommand(
  { words: [command = '', ...args], from }: LaunchCommand,
  { root, env, stdin, stderr, signals }: LaunchPlace,
): Promise<number> {
  const program = programOf(command, root, from, env);
  if (program === null) {
    stderr.write(
      `deepwork: the command ${command} was not found on PATH (programs inside the project are not used)\n`,
    );
    return Promise.resolve(NOT_FOUND);
  }
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: root,
      stdio: 'inherit',
      env: { ...withoutProjectPath(env, root), PWD: root },
    });
    const passOn = (signal: NodeJS.Signals) => {
      if (!(stdin.isTTY && FROM_TERMINAL.includes(signal))) child.kill(signal);
    };
    for (const signal of SIGNALS) signals.on(signal, passOn);
    const end = (code: number) => {
      for (const signal of SIGNALS) signals.off(signal, passOn);
      resolve(code);
    };
    child.once('error', (error: NodeJS.ErrnoException) => {
      // Raised for a signal that could not be sent; the command still runs.
      if (child.pid !== undefined) return;
      const missing = error.code === 'ENOENT';
      const reason = missing ? 'was not found' : `cannot be run: ${error.message}`;
      stderr.write(`deepwork: the command ${command} ${reason}\n`);
      end(missing ? NOT_FOUND : CANNOT_RUN);
    });
    child.once('exit', (code, signal) => {
      end(signal === null ? (code ?? 1) : 128 + os.constants.signals[signal]);
    });
  });
}
