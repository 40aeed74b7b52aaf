// The handshake era over HTTP: one MCP connection per session, its messages spread over
// many requests. Each POST gets its answer as plain JSON, which is what nearly all calls
// need; it becomes a stream of events only if something is to be said first, such as
// progress or a question to the client. What belongs to no request goes to the stream
// that the client may hold open with GET.

import type { ServerResponse } from 'node:http';
import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/server';
import type { Message } from '../message.ts';
import { type EventStream, openEventStream } from './event-stream.ts';
import { sendJson, sendNothing } from './reply.ts';

export interface SessionTransport extends Transport {
  readonly sessionId: string;
  /** A call is running or a stream is open: somebody needs this session. */
  busy(): boolean;
  /** Answers on `res`; false: a call of this id is running already. */
  ask(message: Message, request: Request, res: ServerResponse, events: boolean): boolean;
  /** Takes what needs no answer: a notification, or the answer to a question of ours. */
  tell(message: Message, request: Request): void;
  /** Holds a stream open; false: there is one already. */
  listen(res: ServerResponse): boolean;
}

interface Exchange {
  readonly res: ServerResponse;
  /** Whether the client takes a stream for an answer. */
  readonly events: boolean;
  stream: EventStream | null;
}

/** `used` is called whenever something begins or ends. */
export function openSessionTransport(sessionId: string, used: () => void): SessionTransport {
  const exchanges = new Map<unknown, Exchange>();
  const headers = { 'mcp-session-id': sessionId };
  let standing: EventStream | null = null;

  function answer(id: unknown, message: JSONRPCMessage): void {
    const exchange = exchanges.get(id);
    if (exchange === undefined) return;
    exchanges.delete(id);
    if (exchange.stream === null) {
      sendJson(exchange.res, 200, message, headers);
    } else {
      void exchange.stream.send('message', JSON.stringify(message));
      exchange.stream.close();
    }
    used();
  }

  function sayFirst(exchange: Exchange, message: JSONRPCMessage): void {
    if (!exchange.events) {
      if (!('id' in message)) return;
      throw new Error('The client takes no event streams, so it cannot be asked');
    }
    exchange.stream ??= openEventStream(exchange.res, headers);
    void exchange.stream.send('message', JSON.stringify(message));
  }

  /** A call that was cancelled gets no answer, so its request ends without one. */
  function giveUp(params: unknown): void {
    const id = (params as { readonly requestId?: unknown } | undefined)?.requestId;
    const exchange = exchanges.get(id);
    if (exchange === undefined) return;
    exchanges.delete(id);
    if (exchange.stream === null) sendNothing(exchange.res, 204);
    else exchange.stream.close();
  }

  const transport: SessionTransport = {
    sessionId,
    async start() {},
    async send(message: JSONRPCMessage, options?: TransportSendOptions) {
      if (!('method' in message)) return answer((message as { id?: unknown }).id, message);
      const exchange = exchanges.get(options?.relatedRequestId);
      if (exchange !== undefined) sayFirst(exchange, message);
      else await standing?.send('message', JSON.stringify(message));
    },
    async close() {
      for (const { res, stream } of exchanges.values()) {
        if (stream === null) res.destroy();
        else stream.close();
      }
      exchanges.clear();
      standing?.close();
      transport.onclose?.();
    },
    busy: () => exchanges.size > 0 || standing !== null,
    ask(message, request, res, events) {
      if (exchanges.has(message.id)) return false;
      exchanges.set(message.id, { res, events, stream: null });
      used();
      transport.onmessage?.(message as unknown as JSONRPCMessage, { request });
      return true;
    },
    tell(message, request) {
      used();
      transport.onmessage?.(message as unknown as JSONRPCMessage, { request });
      if (message.method === 'notifications/cancelled') giveUp(message.params);
    },
    listen(res) {
      if (standing !== null) return false;
      standing = openEventStream(res, headers);
      used();
      res.once('close', () => {
        standing = null;
        used();
      });
      return true;
    },
  };
  return transport;
}
