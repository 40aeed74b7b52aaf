// The front door of a stdio server: it stands before the MCP SDK, and opens before it.
//
// Loading the SDK takes longer than everything else at start-up, and every client
// starts a server every time. So the door greets at once with the answer that the SDK
// itself gave when this build was made (`greetings.json`), lets the SDK load while the
// client reads it, and then hands every message on, the greeting's question included;
// the SDK's own answer to that one is dropped. Anything unusual is left to the SDK.
//
// It also answers what the SDK would not: lines that are no JSON-RPC at all. And it reads
// no further while the client does not read its answers, or has too many calls open: what
// it sends then waits on its side of the pipe, not in our memory.

import type { Readable, Writable } from 'node:stream';
import { type Greetings, greetingFor } from './greetings.ts';
import { lineSplitter } from './lines.ts';
import { invalidRequest, type Message, readMessage } from './message.ts';

export interface StdioConnection {
  /** Resolves when the first line has come in (and was greeted, if it could be). */
  readonly knocked: Promise<void>;
  /** Resolves when the client has closed its side. */
  readonly closed: Promise<void>;
  /** From now on messages go to this handler; those that waited go first. */
  handOver(handler: (message: Message) => void): void;
  /** False if it could not be written. */
  send(message: Message): Promise<boolean>;
}

const MAX_UNANSWERED = 256;

export function openStdioConnection(
  input: Readable,
  output: Writable,
  greetings: Greetings,
): StdioConnection {
  let waiting: Message[] = [];
  let handler: ((message: Message) => void) | undefined;
  let greeted: unknown;
  let opening = true;
  /** Requests that were handed on and not answered yet. */
  const unanswered = new Set<unknown>();
  let outputIsFull = false;
  /** Lines that came with the one after which reading stopped. */
  let held: string[] = [];
  let knock = () => {};
  const knocked = new Promise<void>((resolve) => {
    knock = resolve;
  });

  function mayRead(): boolean {
    return !outputIsFull && unanswered.size < MAX_UNANSWERED;
  }

  function takeOrHold(line: string): void {
    if (held.length === 0 && mayRead()) {
      take(line);
      return;
    }
    held.push(line);
    input.pause();
  }

  function readOn(): void {
    if (held.length === 0) return;
    const lines = held;
    held = [];
    for (const line of lines) takeOrHold(line);
    if (held.length === 0) input.resume();
  }

  function receive(message: Message): void {
    if ('method' in message && message.id !== undefined) unanswered.add(message.id);
    if (message.method === 'notifications/cancelled') {
      unanswered.delete((message.params as { requestId?: unknown } | undefined)?.requestId);
    }
    if (handler === undefined) waiting.push(message);
    else handler(message);
  }

  function take(line: string): void {
    if (line.trim() === '') return;
    const read = readMessage(line);
    if ('error' in read) {
      write({ jsonrpc: '2.0', id: read.id ?? null, error: read.error });
    } else {
      if (opening) greet(read.message);
      receive(read.message);
    }
    opening = false;
    knock();
  }

  function greet(message: Message): void {
    const result = greetingFor(greetings, message);
    if (result === null) return;
    greeted = message.id;
    write({ result, jsonrpc: '2.0', id: message.id });
  }

  function write(message: Message): Promise<boolean> {
    return new Promise((resolve) => {
      const more = output.write(`${JSON.stringify(message)}\n`, (error) => resolve(!error));
      if (more || outputIsFull) return;
      outputIsFull = true;
      output.once('drain', () => {
        outputIsFull = false;
        readOn();
      });
    });
  }

  const closed = new Promise<void>((resolve) => {
    input.once('end', resolve);
    input.once('close', resolve);
    input.once('error', () => resolve());
    // The client went away while we wrote: there is nobody left to answer.
    output.on('error', () => resolve());
  });
  input.on(
    'data',
    lineSplitter({
      line: takeOrHold,
      tooLong: () => {
        write({ jsonrpc: '2.0', id: null, error: invalidRequest('line is longer than 10 MiB') });
        knock();
      },
    }),
  );

  return {
    knocked,
    closed,
    handOver(next) {
      handler = next;
      const queue = waiting;
      waiting = [];
      for (const message of queue) next(message);
    },
    async send(message) {
      if (!('method' in message) && unanswered.delete(message.id)) readOn();
      if (greeted !== undefined && message.id === greeted && !('method' in message)) {
        greeted = undefined;
        return true;
      }
      return write(message);
    },
  };
}
