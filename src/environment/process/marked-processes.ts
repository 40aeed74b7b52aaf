// Finds processes of this user by a variable in their environment, which children inherit. From
// /proc if it exists, else from `ps`, which shows the environments of one's own processes.

import { readdirSync } from 'node:fs';
import { ps, readOrEmpty } from './processes.ts';

/**
 * Set by a runner for everything that it starts: its process and the project. It gives no rights, so
 * checks get it, too.
 */
export const RUNNER_MARK = 'DEEPWORK_RUNNER';

export interface MarkedProcess {
  readonly pid: number;
  readonly value: string;
}

/** This process is never one of them. */
export function processesWith(variable: string): MarkedProcess[] {
  const found = process.platform === 'linux' ? fromProc(variable) : fromPs(variable);
  return found.filter(({ pid }) => pid !== process.pid);
}

function fromProc(variable: string): MarkedProcess[] {
  const start = `${variable}=`;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const environment = readOrEmpty(`/proc/${name}/environ`).split('\0');
      const entry = environment.find((each) => each.startsWith(start));
      return entry === undefined ? [] : [{ pid: Number(name), value: entry.slice(start.length) }];
    });
}

/** Words are not delimited: a value ends where the next variable begins. */
function fromPs(variable: string): MarkedProcess[] {
  const pattern = new RegExp(`^\\s*(\\d+)\\s.*?\\b${variable}=(.*?)(?: [A-Za-z_][A-Za-z0-9_]*=|$)`);
  return (ps(['-x', '-E', '-ww', '-o', 'pid=,command=']) ?? '').split('\n').flatMap((line) => {
    const [, pid, value] = pattern.exec(line) ?? [];
    return pid === undefined || value === undefined ? [] : [{ pid: Number(pid), value }];
  });
}
