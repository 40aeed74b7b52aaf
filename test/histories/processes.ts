// Processes for owners to die in. Whether an owner is gone is read from the operating system, so
// those that a history kills are real children; the others are this process under different names.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { systemProcesses } from '../../src/environment/process/process-identity.ts';

export interface Processes {
  /** What a session records of the process. */
  tokenOf(name: string): string;
  nameOf(token: string): string;
  kill(name: string): Promise<void>;
  close(): Promise<void>;
}

export function openProcesses(mortal: Iterable<string>): Processes {
  const children = new Map<string, ChildProcess>();
  const names = new Map<string, string>();
  const tokens = new Map<string, string>();
  for (const name of new Set(mortal)) {
    const child = spawn('sleep', ['120'], { stdio: 'ignore' });
    children.set(name, child);
    tokens.set(name, tokenOfChild(child));
  }

  function tokenOf(name: string): string {
    const token = tokens.get(name) ?? `${systemProcesses.own()}/${name}`;
    tokens.set(name, token);
    names.set(token, name);
    return token;
  }

  async function kill(name: string): Promise<void> {
    const child = children.get(name);
    if (child === undefined) throw new Error(`'${name}' cannot die: it was never meant to`);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  return {
    tokenOf,
    nameOf: (token) => names.get(token) ?? token,
    kill,
    async close() {
      await Promise.all([...children.keys()].map(kill));
    },
  };
}

/** The place of our own token, the child's number, and when it started if that is told. */
function tokenOfChild({ pid }: ChildProcess): string {
  const [where] = systemProcesses.own().split('/');
  return `${where}/${pid}/${startOf(pid) ?? 'unknown'}`;
}

function startOf(pid: number | undefined): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
