// The process as a command sees it, and its end. No other file of the commands uses `process`.

import { systemClock } from '../environment/clock.ts';
import { ancestors } from '../environment/process/processes.ts';
import type { Io, Stdout } from './io.ts';

export function openProcessIo(): Io {
  exitOnClosedPipe(process.stdout);
  return {
    // Opened by the first command that reads it, because opening it takes time.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    clock: systemClock(),
    signals: process,
    program: process.argv[1] ?? '',
    ancestors,
  };
}

/** A reader that closes the pipe early (`deepwork lint | head`) is not an error. */
function exitOnClosedPipe(stdout: Stdout): void {
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}

/** Ends the process once everything is written. */
export async function endProcess(code: number): Promise<never> {
  // What is logged is written after the current turn.
  await new Promise((resolve) => setImmediate(resolve));
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise((resolve) => stream.write('', resolve));
  }
  process.exit(code);
}
