// Puts the stand-in reviewer into a project and reads what it recorded.

import { chmodSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { newProject, type Project } from './project.ts';

const PROGRAM = fileURLToPath(new URL('./stand-in.cjs', import.meta.url));

export interface Scene {
  /** Played if the reviewer's input contains this; without it, always. */
  readonly when?: string;
  readonly answer?: unknown;
  readonly raw?: string;
  readonly sleep?: number;
  /** Waits for this file in the project. */
  readonly until?: string;
  readonly hang?: boolean;
  readonly grandchild?: boolean;
  readonly flood?: number;
  readonly stderr?: string;
  readonly exit?: number;
}

export interface Seen {
  readonly argv: readonly string[];
  readonly stdin: string;
  readonly at: number;
  readonly pid: number;
  /** Variables that would make it part of its client's session. */
  readonly marks: readonly string[];
}

export const PASS = { passed: true, feedback: 'fine' };
export const FAIL = { passed: false, feedback: 'not good enough' };

/** The command line of the stand-in, for `--quality-gate`. */
export const REVIEW_COMMAND = `${process.execPath} ${PROGRAM}`;

export function script(project: Project, ...scenes: Scene[]): void {
  project.write('reviewer-script.json', JSON.stringify(scenes));
}

/** A directory with a program called `claude`, to be put first on the PATH. */
export function claudeOnPath(): Record<string, string> {
  // Outside of every project: programs inside a project are not run.
  const bin = newProject().root;
  chmodSync(PROGRAM, 0o755);
  symlinkSync(PROGRAM, path.join(bin, 'claude'));
  return { PATH: `${bin}${path.delimiter}${process.env.PATH}` };
}

/** For servers in this process, until the test is over. */
export function putClaudeOnPath(): void {
  const before = process.env.PATH;
  Object.assign(process.env, claudeOnPath());
  onTestFinished(() => {
    process.env.PATH = before;
  });
}

export function seen(project: Project): Seen[] {
  const file = project.path('reviewer-log.jsonl');
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Seen);
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}
