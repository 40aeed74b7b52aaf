// A client as a process in a group of its own: it may start servers, shells and helpers, and
// all of them end with it, or when its time is over.

import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';

export type Environment = Readonly<Record<string, string>>;

export interface Ran {
  /** -1: it was ended, because its time was over. */
  readonly code: number;
  readonly stdout: string;
  /** All that it printed, without colours. */
  readonly text: string;
}

export interface ClientCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Environment;
}

const CLIENT_MS = 90_000;

export function runClient({ command, args, cwd, env }: ClientCommand): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      detached: true,
      // As a shell would set it: opencode goes by it.
      env: { ...env, PWD: cwd },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      stdout += chunk;
      text += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    const timer = setTimeout(() => endGroup(child.pid), CLIENT_MS);
    child.once('error', reject);
    // A helper that outlives the client would keep its output open.
    child.once('exit', () => endGroup(child.pid));
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code: code ?? -1, stdout, text: stripVTControlCharacters(text) });
    });
  });
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing of the group is left.
  }
}
