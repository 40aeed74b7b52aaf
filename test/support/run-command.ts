// Runs the built command as a shell would, with its output piped, and waits for its end.

import { spawn } from 'node:child_process';
import { BINARY } from './connect.ts';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What the command reads; nothing if left out. */
  readonly input?: string;
}

export function deepwork(args: readonly string[], options: RunOptions): Promise<Ran> {
  return run(process.execPath, [BINARY, ...args], options);
}

export function run(command: string, args: readonly string[], options: RunOptions): Promise<Ran> {
  const { CLAUDE_CODE_SESSION_ID: _own, NODE_EXTRA_CA_CERTS: _slow, ...env } = process.env;
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], {
      cwd: options.cwd,
      env: { ...env, ...options.env },
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
