// Feeds a server many lines at once, and measures what comes back: how many answers, whether each
// is JSON-RPC, and the longest time in which it worked without answering anything.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { BINARY } from '../support/connect.ts';
import type { Project } from '../support/project.ts';

export interface Pump {
  /** Sends lines and resolves when this many answers to them have come. */
  feed(lines: readonly string[], answers: number): Promise<void>;
  /** Answers so far. */
  readonly answers: number;
  /** Seconds of the longest stall: wall clock or processor time, whichever is less. */
  readonly longestStall: number;
  readonly codes: ReadonlyMap<number, number>;
  readonly isAlive: boolean;
}

const PATIENCE_MS = 60_000;
/** The kernel counts a process's time in hundredths of a second. */
const TICKS = 100;

export function openPump(project: Project): Pump {
  const child = spawn(process.execPath, [BINARY, 'serve', '--path', project.root], {
    env: { ...process.env, HOME: project.root },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const codes = new Map<number, number>();
  let answers = 0;
  let longestStall = 0;
  let rest = '';
  let log = '';
  let seenAt = { clock: performance.now(), processor: processorSeconds(child.pid) };
  let progressed = () => {};

  child.stdin.on('error', () => {});
  child.stderr.setEncoding('utf8').on('data', (text) => {
    log = (log + text).slice(-4096);
  });
  child.stdout.setEncoding('utf8').on('data', (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const { jsonrpc, error } = JSON.parse(line);
      // An `expect` for each of thousands takes as long as the server itself.
      if (jsonrpc !== '2.0') throw new Error(`Not JSON-RPC: ${line}`);
      if (error !== undefined) codes.set(error.code, (codes.get(error.code) ?? 0) + 1);
    }
    answers += lines.length;
    note();
    progressed();
  });

  function note(): void {
    const now = { clock: performance.now(), processor: processorSeconds(child.pid) };
    const clock = (now.clock - seenAt.clock) / 1000;
    longestStall = Math.max(longestStall, Math.min(clock, now.processor - seenAt.processor));
    seenAt = now;
  }

  return {
    get answers() {
      return answers;
    },
    get longestStall() {
      return longestStall;
    },
    get isAlive() {
      return child.exitCode === null && child.signalCode === null;
    },
    codes,
    async feed(lines, expected) {
      const due = answers + expected;
      seenAt = { clock: performance.now(), processor: processorSeconds(child.pid) };
      child.stdin.write(lines.map((line) => `${line}\n`).join(''));
      while (answers < due) {
        const said = await new Promise<boolean>((resolve) => {
          const timer = setTimeout(() => resolve(false), PATIENCE_MS);
          progressed = () => {
            clearTimeout(timer);
            resolve(true);
          };
        });
        if (!said) throw new Error(`${due - answers} answers are missing\n${log}`);
      }
    },
  };
}

/** The processor time of a process; infinite if the system does not report it. */
export function processorSeconds(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
  } catch {
    return performance.now() / 1000;
  }
}
