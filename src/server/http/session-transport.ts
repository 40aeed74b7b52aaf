// The handshake era over HTTP: one MCP connection per session, its messages spread over many
// requests. Each POST gets its answer as plain JSON, which is enough for nearly all calls; it
// becomes an event stream only if something has to be sent before the answer, such as progress
// or a question to the client. Messages that belong to no request go to the stream that the
// client may hold open with GET.

import type { ServerResponse } from 'node:http';
import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/server';
import type { RpcMessage } from '../rpc-message.ts';
import { type EventStream, openEventStream } from './event-stream.ts';
import { sendJson, sendNothing } from './reply.ts';

export interface SessionTransport extends Transport {
  readonly sessionId: string;
  /** A call is running or a stream is open, so the session is needed. */
  busy(): boolean;
  /** The answer goes to `res`. False if a call with this id is already running. */
  takeRequest(message: RpcMessage, request: Request, res: ServerResponse, events: boolean): boolean;
  /** A notification, or the answer to a request of ours. */
  takeUnanswered(message: RpcMessage, request: Request): void;
  /** Holds a stream open; false if there is one already. */
  listen(res: ServerResponse): boolean;
}

interface Exchange {
  readonly res: ServerResponse;
  /** Whether the client accepts an event stream as answer. */
  readonly events: boolean;
  stream: EventStream | null;
}

/** `used` is called whenever a call or a stream begins or ends. */
export function openSessionTransport(sessionId: string, used: () => void): SessionTransport {
  const exchanges = new Map<unknown, Exchange>();
  const headers = { 'mcp-session-id': sessionId };
  let pushStream: EventStream | null = null;

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

  function sendBeforeAnswer(exchange: Exchange, message: JSONRPCMessage): void {
    if (!exchange.events) {
      if (!('id' in message)) return;
      throw new Error('The client accepts no event streams, so it cannot be sent requests');
    }
    exchange.stream ??= openEventStream(exchange.res, headers);
    void exchange.stream.send('message', JSON.stringify(message));
  }

  /** A cancelled call gets no answer, so its request ends without one. */
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
      if (exchange !== undefined) sendBeforeAnswer(exchange, message);
      else await pushStream?.send('message', JSON.stringify(message));
    },
    async close() {
      for (const { res, stream } of exchanges.values()) {
        if (stream === null) res.destroy();
        else stream.close();
      }
      exchanges.clear();
      pushStream?.close();
      transport.onclose?.();
    },
    busy: () => exchanges.size > 0 || pushStream !== null,
    takeRequest(message, request, res, events) {
      if (exchanges.has(message.id)) return false;
      exchanges.set(message.id, { res, events, stream: null });
      used();
      transport.onmessage?.(message as unknown as JSONRPCMessage, { request });
      return true;
    },
    takeUnanswered(message, request) {
      used();
      transport.onmessage?.(message as unknown as JSONRPCMessage, { request });
      if (message.method === 'notifications/cancelled') giveUp(message.params);
    },
    listen(res) {
      if (pushStream !== null) return false;
      pushStream = openEventStream(res, headers);
      used();
      res.once('close', () => {
        pushStream = null;
        used();
      });
      return true;
    },
  };
  return transport;
}
