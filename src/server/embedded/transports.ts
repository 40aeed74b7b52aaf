// Two transports for an embedded server: lines on a pair of streams, as used by clients that start the
// server as a child process, and a linked pair within one process.

import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import type { RpcMessage } from '../rpc-message.ts';
import { openStdioConnection } from '../stdio-connection.ts';

export function streamTransport(input: Readable, output: Writable): Transport {
  const transport: Transport = {
    async start() {
      const connection = openStdioConnection(input, output);
      transport.send = async (message) => {
        if (await connection.send(message as unknown as RpcMessage)) return;
        throw new Error('The client has closed the connection');
      };
      connection.handOver((message) => transport.onmessage?.(message as unknown as JSONRPCMessage));
      void connection.closed.then(() => transport.onclose?.());
    },
    send: () => Promise.reject(new Error('The transport has not been started')),
    async close() {
      // An input that is still being read would keep the process alive.
      input.pause();
      transport.onclose?.();
    },
  };
  return transport;
}

/** Each side receives a copy of what the other sends, in the next turn of the event loop. */
export function memoryTransports(): readonly [client: Transport, server: Transport] {
  const ends: readonly [End, End] = [newEnd(), newEnd()];
  link(ends[0], ends[1]);
  link(ends[1], ends[0]);
  return [ends[0].transport, ends[1].transport];
}

interface End {
  readonly transport: Transport;
  /** Messages that arrived before `start`. */
  readonly waiting: JSONRPCMessage[];
  started: boolean;
  closed: boolean;
}

function newEnd(): End {
  const unlinked = async () => {};
  const transport: Transport = { start: unlinked, send: unlinked, close: unlinked };
  return { transport, waiting: [], started: false, closed: false };
}

function link(end: End, other: End): void {
  end.transport.start = async () => {
    end.started = true;
    for (const message of end.waiting.splice(0)) end.transport.onmessage?.(message);
  };
  end.transport.send = async (message) => {
    if (end.closed) throw new Error('The connection is closed');
    const copy = JSON.parse(JSON.stringify(message)) as JSONRPCMessage;
    setImmediate(() => {
      if (other.started) other.transport.onmessage?.(copy);
      else other.waiting.push(copy);
    });
  };
  end.transport.close = async () => {
    for (const each of [end, other]) {
      if (each.closed) continue;
      each.closed = true;
      each.transport.onclose?.();
    }
  };
}
