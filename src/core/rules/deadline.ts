// Runs a short piece of synchronous work and really stops it when its time is over.
// A script of `node:vm` with a timeout is ended from another thread, also while it is
// deep inside a function of ours, in V8's regex engine or in generated code. It costs
// about a tenth of a millisecond, and nothing has to be handed to another process.

import { createContext, Script } from 'node:vm';

export type Timed<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'interrupted'; readonly reason: string };

/** Tries at work that was hardly given the processor; see `wasStarved`. */
const MOST_TRIES = 3;

const LONGEST_REASON = 200;

const sandbox: { work: (() => void) | null } = { work: null };
let script: Script | null = null;

/** The work may be run again, so it must not matter how often it runs. */
export function runWithin<T>(milliseconds: number, work: () => T): Timed<T> {
  let result: Timed<T> = { kind: 'interrupted', reason: tooSlow(milliseconds) };
  for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
    const before = process.cpuUsage();
    try {
      runScript(milliseconds, () => {
        result = { kind: 'done', value: work() };
      });
      return result;
    } catch (error) {
      if (!isTimeout(error)) return { kind: 'interrupted', reason: wordsOf(error) };
      result = { kind: 'interrupted', reason: tooSlow(milliseconds) };
      if (!wasStarved(before, milliseconds)) return result;
    }
  }
  return result;
}

function runScript(milliseconds: number, work: () => void): void {
  if (script === null) {
    createContext(sandbox);
    script = new Script('work()');
  }
  const outer = sandbox.work;
  sandbox.work = work;
  try {
    script.runInContext(sandbox, { timeout: Math.max(1, Math.ceil(milliseconds)) });
  } finally {
    sandbox.work = outer;
  }
}

/**
 * The timeout goes by the clock on the wall. On a machine that is overloaded, or wakes
 * from sleep, it also strikes work that has hardly run; that work gets another chance.
 */
function wasStarved(before: NodeJS.CpuUsage, milliseconds: number): boolean {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 < milliseconds / 2;
}

function isTimeout(error: unknown): boolean {
  return hasCode(error) && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

function hasCode(error: unknown): error is { readonly code: unknown } {
  return typeof error === 'object' && error !== null && 'code' in error;
}

function tooSlow(milliseconds: number): string {
  return `took longer than ${Math.ceil(milliseconds)} ms`;
}

/** V8 quotes a whole pattern before it says what is wrong with it. */
function wordsOf(error: unknown): string {
  const message = error instanceof Error ? error.message : 'unknown error';
  return message
    .slice(message.lastIndexOf(': ') + 1)
    .trim()
    .slice(0, LONGEST_REASON);
}
