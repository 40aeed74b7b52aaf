// Runs the built command as a person's shell would, with its output piped, and waits for its end.

import { spawn } from 'node:child_process';
import { BINARY } from './connect.ts';
import { asPerson, personEnv } from './person.ts';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The command's input; empty by default. */
  readonly input?: string;
}

export function deepwork(args: readonly string[], options: RunOptions): Promise<Ran> {
  return run(process.execPath, [BINARY, ...args], options);
}

export function run(command: string, args: readonly string[], options: RunOptions): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const person = asPerson(command, args);
    const child = spawn(person.file, [...person.args], {
      cwd: options.cwd,
      env: { ...personEnv(), ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin.on('error', () => {});
    child.stdin.end(options.input ?? '');
  });
}
