// Processes that serve hostile projects under the guard. A process that hangs is killed with an
// error; the next project gets a new one.

import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Area } from './places.ts';

interface Said {
  readonly tool: string;
  readonly text: string;
  readonly isError: boolean;
  readonly ms: number;
}

export interface Note {
  readonly kind: 'opened' | 'changed' | 'outside' | 'started';
  readonly call: string;
  readonly path: string;
  readonly real?: string;
}

export interface Heard {
  readonly answers: readonly Said[];
  readonly stderr: string;
  readonly notes: readonly Note[];
}

export interface Runner {
  begin(root: string, area?: Area): Promise<Heard>;
  attack(area?: Area): Promise<Heard>;
  end(): void;
}

export const GUARD = fileURLToPath(new URL('guard.cjs', import.meta.url));
const RUNNER = fileURLToPath(new URL('runner.mjs', import.meta.url));
/** Only for what hangs: all calls of one project take a second or two on a busy machine. */
export const HANGS_MS = 60_000;

/** `user`: runs with that user's rights, which only root can do. */
export async function startRunner(user: number | null = null): Promise<Runner> {
  const home = mkdtempSync(path.join(os.tmpdir(), 'deepwork-hostile-home-'));
  if (user !== null) chownSync(home, user, user);
  const child = start(home, user);
  await answered(child).catch((error: unknown) => {
    rmSync(home, { recursive: true, force: true });
    throw error;
  });
  const ask = (message: object): Promise<Heard> => {
    const answer = answered(child);
    child.send(message);
    return answer as Promise<Heard>;
  };
  return {
    begin: (root, area) => ask({ does: 'begin', root, area }),
    attack: (area) => ask({ does: 'attack', area }),
    end() {
      child.kill('SIGKILL');
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function start(home: string, user: number | null): ChildProcess {
  return spawn(process.execPath, ['--require', GUARD, RUNNER], {
    env: { ...process.env, HOME: home },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    cwd: os.tmpdir(),
    ...(user === null ? {} : { uid: user, gid: user }),
  });
}

/** What a process says next; one that says nothing is killed. */
export function answered(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`no answer within ${HANGS_MS} ms: the server hangs`));
    }, HANGS_MS);
    const ended = (code: number | null) => reject(new Error(`the server ended with ${code}`));
    child.once('exit', ended);
    child.once('message', (message) => {
      clearTimeout(timer);
      child.off('exit', ended);
      resolve(message);
    });
  });
}
