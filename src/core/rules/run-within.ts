// Runs a short piece of synchronous work and really stops it at its deadline. A `node:vm`
// script with a timeout is terminated from another thread, even deep inside one of our
// functions, V8's regex engine or generated code. It costs about a tenth of a millisecond and
// needs no other process.

import { createContext, Script } from 'node:vm';

export type Timed<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'interrupted'; readonly reason: string };

/** Attempts for work that hardly got the processor. */
const MAX_TRIES = 3;
/** Of its limit in processor time: the clock stops work a little before it has used all of it. */
const NEARLY_ALL = 0.95;
/** The maximum time to block for work that waits for the processor. */
const MAX_MILLISECONDS = 3000;

const MAX_REASON_LENGTH = 200;

const sandbox: { work: (() => void) | null } = { work: null };
let script: Script | null = null;

/** Pauses before it runs the work again: each time may take as long as a turn may. */
type InTurns<T> = Generator<undefined, T, undefined>;

/** For callers that keep no one waiting. */
export function withoutPauses<T>(work: Iterator<unknown, T>): T {
  for (;;) {
    const piece = work.next();
    if (piece.done) return piece.value;
  }
}

/** The work may run several times, so it must be repeatable. */
export function* runWithin<T>(milliseconds: number, work: () => T): InTurns<Timed<T>> {
  for (let tries = 1; ; tries += 1) {
    const { ran, used } = attempt(milliseconds, work);
    if (ran !== null) return ran;
    // On an overloaded machine, or one that wakes from sleep, the timeout also hits work that
    // has hardly run; such work gets another attempt.
    if (tries === MAX_TRIES || used >= milliseconds / 2) return tooSlow(milliseconds);
    yield;
  }
}

/**
 * For work whose verdict must not depend on the machine's load: the limit is processor time.
 * Work that got less than that is run again, for as long as it would need at the share it got.
 */
export function* runWithinProcessorTime<T>(milliseconds: number, work: () => T): InTurns<Timed<T>> {
  let wallClock = milliseconds;
  for (;;) {
    const { ran, used } = attempt(wallClock, work);
    if (ran !== null) return ran;
    if (used >= milliseconds * NEARLY_ALL || wallClock >= MAX_MILLISECONDS)
      return tooSlow(milliseconds);
    const needed = (milliseconds * wallClock) / Math.max(used, 1);
    wallClock = Math.min(MAX_MILLISECONDS, Math.max(needed, wallClock) * 1.5);
    yield;
  }
}

interface Attempt<T> {
  /** Null if the wall-clock timeout stopped it. */
  readonly ran: Timed<T> | null;
  /** Processor time, in milliseconds. */
  readonly used: number;
}

function attempt<T>(milliseconds: number, work: () => T): Attempt<T> {
  let ran: Timed<T> | null = null;
  const traceLimit = Error.stackTraceLimit;
  const before = process.cpuUsage();
  try {
    runScript(milliseconds, () => {
      ran = { kind: 'done', value: work() };
    });
  } catch (error) {
    const reason = engineMessage(error).slice(0, MAX_REASON_LENGTH);
    ran = isTimeout(error) ? null : { kind: 'interrupted', reason };
  } finally {
    // Work that is stopped does not get to its own `finally`.
    Error.stackTraceLimit = traceLimit;
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
  return (error as NodeJS.ErrnoException | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

function tooSlow(milliseconds: number): Timed<never> {
  return { kind: 'interrupted', reason: `took longer than ${Math.ceil(milliseconds)} ms` };
}

/** What V8 reports of a regular expression, without the pattern, which its message quotes. */
export function engineMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : 'unknown error';
  return message.slice(message.lastIndexOf(': ') + 1).trim();
}
