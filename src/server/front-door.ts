// The front door of a stdio server: it stands before the MCP SDK, and opens before it.
//
// Loading the SDK takes longer than everything else at start-up, and every client
// starts a server every time. So the door greets at once with the answer that the SDK
// itself gave when this build was made (`greetings.json`), lets the SDK load while the
// client reads it, and then hands every message on, the greeting's question included;
// the SDK's own answer to that one is dropped. Anything unusual is left to the SDK.
//
// It also answers what the SDK would not: lines that are no JSON-RPC at all.

import type { Readable, Writable } from 'node:stream';
import { isDirect } from './direct-names.ts';
import { type Greetings, greetingFor } from './greetings.ts';
import { lineSplitter } from './lines.ts';

export type Message = Record<string, unknown>;

export interface FrontDoor {
  /** Resolves when the first line has come in (and was greeted, if it could be). */
  readonly knocked: Promise<void>;
  /** Resolves when the client has closed its side. */
  readonly closed: Promise<void>;
  /** From now on messages go to this handler; those that waited go first. */
  handOver(handler: (message: Message) => void): void;
  /** False if it could not be written. */
  send(message: Message): Promise<boolean>;
}

export function openFrontDoor(input: Readable, output: Writable, greetings: Greetings): FrontDoor {
  let waiting: Message[] = [];
  let handler: ((message: Message) => void) | undefined;
  let greeted: unknown;
  let opening = true;
  let knock = () => {};
  const knocked = new Promise<void>((resolve) => {
    knock = resolve;
  });

  function receive(message: Message): void {
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
      output.write(`${JSON.stringify(message)}\n`, (error) => resolve(!error));
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
      line: take,
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
      if (greeted !== undefined && message.id === greeted && !('method' in message)) {
        greeted = undefined;
        return true;
      }
      return write(message);
    },
  };
}

type Read = { readonly message: Message } | { readonly error: object; readonly id?: unknown };

function readMessage(line: string): Read {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { error: { code: -32700, message: 'Parse error' } };
  }
  if (Array.isArray(value)) return { error: invalidRequest('batches are not supported') };
  if (!isObject(value)) return { error: invalidRequest('not a JSON-RPC message') };
  const message: Message = value;
  if (message.jsonrpc !== '2.0') return { error: invalidRequest('jsonrpc must be "2.0"') };
  const { id, method, params } = message;
  if (id !== undefined && typeof id !== 'string' && !isNumberedId(id, message)) {
    const whole = isDirect(message) ? '' : 'whole ';
    return { error: invalidRequest(`id must be a string or a ${whole}number`) };
  }
  if (!('method' in message) && !('result' in message) && !('error' in message)) {
    return { error: invalidRequest('method is missing') };
  }
  if (!('method' in message)) return { message };
  if (typeof method !== 'string') return { error: invalidRequest('method must be a string') };
  // The direct methods judge their parameters themselves; for them null is legal.
  const reason = isDirect(message) ? null : wrongParams(params);
  if (reason !== null) {
    const [field, what] = reason;
    const data = { field, reason: what };
    const error = { code: -32602, message: `Invalid params: ${field} ${what}`, data };
    return id === undefined ? { message: { jsonrpc: '2.0', method } } : { error, id };
  }
  // Members that JSON-RPC does not know would make the SDK drop the message.
  return {
    message: {
      jsonrpc: '2.0',
      ...(id === undefined ? {} : { id }),
      method,
      ...(params === undefined ? {} : { params }),
    },
  };
}

/** To a request whose id is no safe integer the SDK would give no answer. */
function isNumberedId(id: unknown, message: Message): boolean {
  return isDirect(message) ? Number.isFinite(id) : Number.isSafeInteger(id);
}

/** To requests of these shapes the SDK would give no answer at all. */
function wrongParams(params: unknown): readonly [field: string, reason: string] | null {
  if (params === undefined) return null;
  if (!isObject(params)) return ['params', 'must be an object'];
  const { _meta } = params;
  if (_meta === undefined) return null;
  if (!isObject(_meta)) return ['_meta', 'must be an object'];
  const { progressToken } = _meta;
  const fits = ['undefined', 'string'].includes(typeof progressToken);
  return fits || Number.isSafeInteger(progressToken)
    ? null
    : ['progressToken', 'must be a string or a whole number'];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalidRequest(reason: string): object {
  return { code: -32600, message: 'Invalid Request', data: { reason } };
}
