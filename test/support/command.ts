// Runs a command of the built program in the test's own process: what a command prints costs a
// fraction of a process that way. With DEEPWORK_TEST_STDIO=1 every command is a process, unless the
// test gives it a time, a width or colours. Nothing of it may depend on when a process ends: such
// tests, and one of each kind of command, use `deepwork`.

import { beginInProcess, CAN_RUN_HERE, type Surroundings } from './in-process-command.ts';
import { personEnv } from './person.ts';
import { deepwork, type Ran, type RunOptions } from './run-command.ts';

export function command(args: readonly string[], options: RunOptions & Surroundings): Promise<Ran> {
  const { cwd, env, input, ...surroundings } = options;
  const isOwn = Object.keys(surroundings).length > 0;
  if (!CAN_RUN_HERE && !isOwn) return deepwork(args, options);
  return beginInProcess(args, { ...options, env: { ...personEnv(), ...env } }).ended;
}
