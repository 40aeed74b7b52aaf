// Runs a short piece of synchronous work and really stops it when its time is over.
// A script of `node:vm` with a timeout is ended from another thread, also while it is
// deep inside a function of ours, in V8's regex engine or in generated code. It costs
// about a tenth of a millisecond, and nothing has to be handed to another process.

import { createContext, Script } from 'node:vm';

export type Timed<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'interrupted'; readonly reason: string };

/** Tries at work that was hardly given the processor. */
const MAX_TRIES = 3;
/** The longest that work which waits for the processor is let stand in the way. */
const MAX_MILLISECONDS = 3000;

const MAX_REASON_LENGTH = 200;

const sandbox: { work: (() => void) | null } = { work: null };
let script: Script | null = null;

/** The work may be run again, so it must not matter how often it runs. */
export function runWithin<T>(milliseconds: number, work: () => T): Timed<T> {
  for (let tries = 1; ; tries += 1) {
    const { ran, used } = attempt(milliseconds, work);
    if (ran !== null) return ran;
    // On a machine that is overloaded, or wakes from sleep, the timeout also strikes work
    // that has hardly run; that work gets another chance.
    if (tries === MAX_TRIES || used >= milliseconds / 2) return tooSlow(milliseconds);
  }
}

/**
 * The same, for work whose verdict must not depend on what else the machine does: the limit
 * is time of the processor. Work that got less of it than that is run again, for as long as
 * the whole would take at the share it got.
 */
export function runWithinProcessorTime<T>(milliseconds: number, work: () => T): Timed<T> {
  let onTheClock = milliseconds;
  for (;;) {
    const { ran, used } = attempt(onTheClock, work);
    if (ran !== null) return ran;
    if (used >= milliseconds || onTheClock >= MAX_MILLISECONDS) return tooSlow(milliseconds);
    const needed = (milliseconds * onTheClock) / Math.max(used, 1);
    onTheClock = Math.min(MAX_MILLISECONDS, Math.max(needed, onTheClock) * 1.5);
  }
}

interface Attempt<T> {
  /** Null: it was stopped by the clock on the wall. */
  readonly ran: Timed<T> | null;
  /** Of the processor, in milliseconds. */
  readonly used: number;
}

function attempt<T>(milliseconds: number, work: () => T): Attempt<T> {
  let ran: Timed<T> | null = null;
  const before = process.cpuUsage();
  try {
    runScript(milliseconds, () => {
      ran = { kind: 'done', value: work() };
    });
  } catch (error) {
    ran = isTimeout(error) ? null : { kind: 'interrupted', reason: wordsOf(error) };
  }
  const { user, system } = process.cpuUsage(before);
  return { ran, used: (user + system) / 1000 };
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

function isTimeout(error: unknown): boolean {
  return hasCode(error) && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

function hasCode(error: unknown): error is { readonly code: unknown } {
  return typeof error === 'object' && error !== null && 'code' in error;
}

function tooSlow(milliseconds: number): Timed<never> {
  return { kind: 'interrupted', reason: `took longer than ${Math.ceil(milliseconds)} ms` };
}

/** V8 quotes a whole pattern before it says what is wrong with it. */
function wordsOf(error: unknown): string {
  const message = error instanceof Error ? error.message : 'unknown error';
  return message
    .slice(message.lastIndexOf(': ') + 1)
    .trim()
    .slice(0, MAX_REASON_LENGTH);
}
