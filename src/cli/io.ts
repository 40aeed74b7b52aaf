// What a command gets of the world: it reads, writes and asks only through this, and returns its exit
// code. `main.ts` makes the one of the process (`process-io.ts`); tests make their own.

import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../environment/clock.ts';
import type { RunningProcess } from '../environment/process/processes.ts';
import type { Signals } from '../environment/process/signals.ts';

export interface Io {
  readonly stdin: Stdin;
  readonly stdout: Stdout;
  readonly stderr: Stdout;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly clock: Clock;
  readonly signals: Signals;
  /** The file of this program, as it was started. */
  readonly program: string;
  /** The processes that started the command, nearest first; an agent is found among them. */
  ancestors(): readonly RunningProcess[];
}

export type Stdin = Readable & { readonly isTTY?: boolean };

export type Stdout = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

/** The exit code. The process ends when a command returns, whatever still runs in it. */
export type Command = (argv: readonly string[], io: Io) => Promise<number>;
