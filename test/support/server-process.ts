// Processes of servers: where one runs, whether it lives, and how it is killed.

import { readFileSync } from 'node:fs';

/** Only a server in a process of its own can be killed. */
export type ServerProcess = { readonly pid: number } | 'in this process';

export function killServer(server: ServerProcess): true {
  if (server === 'in this process') throw new Error('This would kill the test');
  return process.kill(server.pid, 'SIGKILL');
}

/** Not at once false after a kill: the system takes its time. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
