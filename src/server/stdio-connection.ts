// The lines of a stdio client, in front of the MCP SDK. Opened before the engine is loaded:
// messages that arrive meanwhile wait here.
//
// It answers what the SDK would not: lines that are not JSON-RPC. And it stops reading while
// the client does not read its answers, or has too many open calls: its messages then wait on
// its side of the pipe, not in our memory.

import type { Readable, Writable } from 'node:stream';
import { lineSplitter } from './lines.ts';
import { invalidRequest, type RpcMessage, readMessage } from './rpc-message.ts';

export interface StdioConnection {
  /** Resolves when the client has closed its side. */
  readonly closed: Promise<void>;
  /** Passes messages to this handler from now on, waiting ones first. */
  handOver(handler: (message: RpcMessage) => void): void;
  /** False if it could not be written. */
  send(message: RpcMessage): Promise<boolean>;
}

const MAX_UNANSWERED = 256;

export function openStdioConnection(input: Readable, output: Writable): StdioConnection {
  let waiting: RpcMessage[] = [];
  let handler: ((message: RpcMessage) => void) | undefined;
  /** Requests that were passed on and not answered yet. */
  const unanswered = new Set<unknown>();
  let outputIsFull = false;
  /** Lines that arrived together with the one after which reading stopped. */
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

  function receive(message: RpcMessage): void {
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

  function write(message: RpcMessage): Promise<boolean> {
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
    // The client went away while we wrote, so there is no one to answer.
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
