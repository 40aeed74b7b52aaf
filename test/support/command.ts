// Runs a command of the built program in the test's own process, with the arguments, folder,
// environment and streams that it would have as a process: what a command prints costs a fraction
// of a process that way. It is for commands that read, or that change files and end: nothing of it
// may depend on when a process ends or on who started it. Those, and a command of each kind, are
// tested with `deepwork`. With DEEPWORK_TEST_STDIO=1 every command is a process.

import { CAN_RUN_HERE, runInTurn } from './in-process-command.ts';
import { personEnv } from './person.ts';
import { deepwork, type Ran, type RunOptions } from './run-command.ts';

export function command(args: readonly string[], options: RunOptions): Promise<Ran> {
  if (!CAN_RUN_HERE) return deepwork(args, options);
  return runInTurn(args, { ...options, env: { ...personEnv(), ...options.env } });
}
