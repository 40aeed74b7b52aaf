// The server's log: one line per call on stderr, since stdout belongs to the protocol.
//
//   2026-01-01T00:00:00.000Z deepwork finished_step needs_work 12.3ms agent=writer session=0a1b2c3d stack=[docs/write:draft]
//
// Every call has this form, over every transport and route. The outcome is what the answer
// says (`next_step`, `needs_work`, `input_required`, `invalid`, `ok`) or the code of a
// refusal.

import { randomBytes } from 'node:crypto';
import { escaped, showInvisible } from '../core/invisible-characters.ts';
import type { StackItem } from '../sessions/stack-items.ts';

export interface LoggedCall {
  readonly tool: string;
  readonly agent: string;
  /** The session it concerns; null if none. */
  readonly session: string | null;
  readonly outcome: string;
  /** What the caller has to fix; null if nothing. Not written to the log. */
  readonly refused: string | null;
  readonly milliseconds: number;
  readonly stack: readonly StackItem[];
}

export interface Log {
  call(call: LoggedCall): void;
  /** Returns a reference to its line. */
  fault(where: string, error: unknown): string;
}

/** For a server that is the whole process. */
export function stderrLog(stderr: { write(text: string): unknown }): Log {
  let waiting = '';
  const flush = () => {
    stderr.write(waiting);
    waiting = '';
  };
  // Written after the answer, because nothing waits for a log line.
  return logTo((line) => {
    if (waiting === '') setImmediate(flush);
    waiting += `${line}\n`;
  });
}

/** Passes on each line without a newline. */
export function logTo(take: (line: string) => void): Log {
  const write = (line: string) => take(`${new Date().toISOString()} deepwork ${line}`);
  return {
    call: (call) => write(lineOf(call)),
    fault(where, error) {
      const reference = randomBytes(4).toString('hex');
      const what = error instanceof Error ? error.stack : String(error);
      const line = `${word(where)} ${reference} fault: ${what}`;
      write(showInvisible(line.replace(CONTROL, escapedUnlessBreak)));
      return reference;
    },
  };
}

export function lineOf({ tool, agent, session, outcome, milliseconds, stack }: LoggedCall): string {
  const depth = stack.map(({ workflow, step }) => `${workflow}:${step}`).join(' > ');
  const who = `agent=${word(agent)} session=${session === null ? '-' : word(session)}`;
  const line = `${word(tool)} ${outcome} ${milliseconds.toFixed(1)}ms ${who} stack=[${depth}]`;
  return showInvisible(line.replace(CONTROL, escaped));
}

/** What a terminal obeys. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/** The trace of a fault has several lines. */
function escapedUnlessBreak(character: string): string {
  return character === '\n' ? character : escaped(character);
}

/** The outcome of an answer in one word. */
export function outcomeOf(answer: unknown): string {
  const { status, valid, forms } = answer as Readonly<Record<string, unknown>>;
  if (forms !== undefined) return 'input_required';
  if (typeof status === 'string' && /^[a-z_]{1,40}$/.test(status)) return status;
  return valid === false ? 'invalid' : 'ok';
}

/** Reasons for `needs_work` that do not reject the submission. */
const WAITS: readonly unknown[] = ['still_running', 'waiting_for_person'];

/** The feedback of an answer that rejects the submission. */
export function toFix(answer: unknown): string | null {
  const { status, reason, feedback } = answer as Readonly<Record<string, unknown>>;
  const isRefused = status === 'needs_work' && !WAITS.includes(reason);
  return isRefused && typeof feedback === 'string' ? feedback : null;
}

const MAX_LENGTH = 200;

/** Quotes names from outside that could look like another field or end the line. */
function word(text: string): string {
  const cut = text.slice(0, MAX_LENGTH);
  return /^[\p{L}\p{N}._:|@/()+-]+$/u.test(cut) ? cut : JSON.stringify(cut);
}
