// Launches of the built binary, and the servers they leave.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { BINARY } from './connect.ts';
import { cleanEnv } from './http.ts';
import { watchStalls } from './stalls.ts';

export interface Launch {
  readonly child: ChildProcess;
  out(): string;
  err(): string;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

export interface LaunchSpec {
  readonly root: string;
  readonly home: string;
  readonly args?: readonly string[];
  /** A script for node; it is run with its arguments. */
  readonly script?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Keeps a script running until it gets a signal, or its parent is gone. */
export const STAY = `
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || process.exit(), 50);
`;

export function launch({ root, home, args = [], script, env = {} }: LaunchSpec): Launch {
  const command = script === undefined ? [] : ['--', process.execPath, '-e', script];
  const child = spawn(process.execPath, [BINARY, 'launch', '--path', root, ...args, ...command], {
    env: { ...cleanEnv(home), ...watchStalls().env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    err += text;
  });
  const ended: Launch['ended'] = new Promise((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, out: () => out, err: () => err, ended };
}

/** The running servers of this project, by process id. */
export function serversOf(root: string): number[] {
  return commandLines()
    .filter((line) => line.includes(`--path ${root} --launched-after`))
    .map((line) => Number.parseInt(line, 10));
}

/** Of all processes, each after its id. Read directly where that works: `ps` takes ten times as long. */
function commandLines(): string[] {
  if (!existsSync('/proc/self/cmdline')) {
    return execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return `${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`;
      } catch {
        // It has ended since the folder was listed.
        return '';
      }
    });
}

/** Ends what a test may have left running. */
export function endServersAfterTest(root: string): void {
  onTestFinished(() => {
    for (const pid of serversOf(root)) process.kill(pid, 'SIGKILL');
  });
}

/** The one folder of registrations in a home. */
function registrations(home: string): { folder: string; files: string[] } {
  const servers = path.join(home, '.deepwork', 'servers');
  const folder = path.join(servers, readdirSync(servers)[0] as string);
  return { folder, files: readdirSync(folder).filter((file) => file.endsWith('.json')) };
}

export function readRegistration(home: string) {
  const { folder, files } = registrations(home);
  const file = path.join(folder, files.at(-1) as string);
  return { file, content: JSON.parse(readFileSync(file, 'utf8')) as Record<string, string> };
}
