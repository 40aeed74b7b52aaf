// The process as a command sees it, and its end. No other file of the commands uses `process`.

import { systemClock } from '../environment/clock.ts';
import { ancestors } from '../environment/process/processes.ts';
import type { Io } from './io.ts';

export interface ProcessIo {
  readonly io: Io;
  /** Ends the process once everything is written that someone reads. */
  end(code: number): Promise<never>;
}

export function openProcessIo(): ProcessIo {
  const { stdout, stderr } = process;
  let isGivenUp = false;
  // A command has destroyed it; Node keeps it open all the same.
  stdout.once('close', () => {
    isGivenUp = true;
  });
  // A reader that closes the pipe early (`deepwork lint | head`) is not an error.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  const io: Io = {
    // Opened by the first command that reads it, because opening it takes time.
    get stdin() {
      return process.stdin;
    },
    stdout,
    stderr,
    env: process.env,
    // Fails in a folder that was removed, so that only commands that need it do.
    get cwd() {
      return process.cwd();
    },
    clock: systemClock(),
    signals: process,
    program: process.argv[1] ?? '',
    ancestors,
  };
  return {
    io,
    async end(code) {
      // What is logged is written after the current turn.
      await new Promise((resolve) => setImmediate(resolve));
      if (!isGivenUp) {
        for (const stream of [stdout, stderr]) {
          await new Promise((resolve) => stream.write('', resolve));
        }
      }
      process.exit(code);
    },
  };
}
