// Commands that only people may run, run by tests. An agent may be running the tests, so its
// variables are removed; and if the tests have an agent among their parent processes, the command is
// started by a shell that exits at once: then it belongs to the system, like a person's terminal.

import { agentAmong, MARKS } from '../../src/cli/terminal/agent-marks.ts';
import { ancestors } from '../../src/environment/process/processes.ts';

const isUnderAgent = agentAmong(ancestors()) !== null;

/** The command waits until the shell that started it is gone. */
const START = `
  pipe=$1
  shift
  (
    while kill -0 $$ 2>&-; do sleep 0.01; done
    "$@" <&3
    echo $? > "$pipe"
  ) &
`;

/** Stays as long as the command runs, and exits with its code. */
const WAIT = `
  folder=$(mktemp -d)
  mkfifo "$folder/code"
  exec 3<&0
  /bin/sh -c '${START}' person "$folder/code" "$@"
  read code < "$folder/code"
  rm -r "$folder"
  exit $code
`;

export interface PersonCommand {
  readonly file: string;
  readonly args: readonly string[];
}

export function asPerson(file: string, args: readonly string[]): PersonCommand {
  return isUnderAgent
    ? { file: '/bin/sh', args: ['-c', WAIT, 'person', file, ...args] }
    : { file, args };
}

export function personEnv(): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => !MARKS.includes(name));
  return Object.fromEntries(kept) as Record<string, string>;
}
