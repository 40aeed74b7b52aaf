// The lines of a stdio client, in front of the MCP SDK. Open before the engine is loaded:
// what comes in meanwhile waits here.
//
// It answers what the SDK would not: lines that are no JSON-RPC at all. And it reads no
// further while the client does not read its answers, or has too many calls open: what it
// sends then waits on its side of the pipe, not in our memory.

import type { Readable, Writable } from 'node:stream';
import { lineSplitter } from './lines.ts';
import { invalidRequest, type Message, readMessage } from './message.ts';

export interface StdioConnection {
  /** Resolves when the client has closed its side. */
  readonly closed: Promise<void>;
  /** From now on messages go to this handler; those that waited go first. */
  handOver(handler: (message: Message) => void): void;
  /** False if it could not be written. */
  send(message: Message): Promise<boolean>;
}

const MAX_UNANSWERED = 256;

export function openStdioConnection(input: Readable, output: Writable): StdioConnection {
  let waiting: Message[] = [];
  let handler: ((message: Message) => void) | undefined;
  /** Requests that were handed on and not answered yet. */
  const unanswered = new Set<unknown>();
  let outputIsFull = false;
  /** Lines that came with the one after which reading stopped. */
  let held: string[] = [];

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
      receive(read.message);
    }
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
      },
    }),
  );

  return {
    closed,
    handOver(next) {
      handler = next;
      const queue = waiting;
      waiting = [];
      for (const message of queue) next(message);
    },
    async send(message) {
      if (!('method' in message) && unanswered.delete(message.id)) readOn();
      return write(message);
    },
  };
}
