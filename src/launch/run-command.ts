// Runs a launch's command as if it had been called without us: the same terminal, every
// signal passed on, and its exit code, or 128 and the signal's number, as a shell gives it.

import { spawn } from 'node:child_process';
import os from 'node:os';
import { programOf, withoutProjectPath } from '../environment/program.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2', 'SIGCONT'] as const;

/** A terminal sends these to everybody in it; passed on, they would arrive twice. */
const FROM_TERMINAL: readonly string[] = ['SIGINT', 'SIGQUIT'];

const CANNOT_RUN = 126;
const NOT_FOUND = 127;

export interface LaunchCommand {
  readonly words: readonly string[];
  /** Where a relative path to its program starts. */
  readonly from: string;
}

/** Runs in the folder of the project; a bare program name never means a file of it. */
export function runCommand(
  { words: [command = '', ...args], from }: LaunchCommand,
  root: string,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const program = programOf(command, root, from);
  if (program === null) {
    process.stderr.write(
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
      if (!(process.stdin.isTTY && FROM_TERMINAL.includes(signal))) child.kill(signal);
    };
    for (const signal of SIGNALS) process.on(signal, passOn);
    const end = (code: number) => {
      for (const signal of SIGNALS) process.off(signal, passOn);
      resolve(code);
    };
    child.once('error', (error: NodeJS.ErrnoException) => {
      // A signal that could not be sent is no reason to leave the command alone.
      if (child.pid !== undefined) return;
      const missing = error.code === 'ENOENT';
      const reason = missing ? 'was not found' : `cannot be run: ${error.message}`;
      process.stderr.write(`deepwork: the command ${command} ${reason}\n`);
      end(missing ? NOT_FOUND : CANNOT_RUN);
    });
    child.once('exit', (code, signal) => {
      end(signal === null ? (code ?? 1) : 128 + os.constants.signals[signal]);
    });
  });
}
