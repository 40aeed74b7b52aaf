// The oldest MCP transport over HTTP, which some clients still use: GET /sse opens a stream
// and names an address; messages are posted to that address, and answers come back on the
// stream. The connection is the session, and ends with it.

import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { JSONRPCMessage, Server, Transport } from '@modelcontextprotocol/server';
import { isDirect } from '../direct-names.ts';
import { type RpcMessage, readMessage, requestIdOf } from '../rpc-message.ts';
import { type EventStream, openEventStream } from './event-stream.ts';
import { ID_IN_USE, type RequestRefusal, refuseRequest, sendJson, sendNothing } from './reply.ts';
import { requestBy } from './request-context.ts';
import type { Bearer } from './tokens.ts';

export interface SseOptions {
  readonly createServer: () => Server;
  readonly limit: number;
  /** Unanswered calls per connection. */
  readonly calls: number;
  direct(message: RpcMessage, request: Request): Promise<RpcMessage | null>;
}

export interface Sse {
  /** Opens a stream for callers with the same token. */
  open(res: ServerResponse, bearer: Bearer): Promise<void>;
  /** Calls `answered` when the message's answer was written, or could not be. */
  post(request: Request, body: Buffer, res: ServerResponse, answered: Answered): Promise<void>;
  closeAll(): void;
}

type Answered = (written: boolean) => void;

interface Connection {
  readonly bearer: Bearer;
  readonly transport: Transport;
  readonly stream: EventStream;
  readonly waiting: Map<unknown, Answered>;
}

export function openSse({ createServer, limit, calls, direct }: SseOptions): Sse {
  const connections = new Map<string, Connection>();

  async function send({ stream, waiting }: Connection, message: RpcMessage): Promise<void> {
    const written = await stream.send('message', JSON.stringify(message));
    if ('method' in message) return;
    reportOutcome(waiting, message.id, written);
  }

  function connect(res: ServerResponse, bearer: Bearer): Connection {
    const stream = openEventStream(res);
    const connection: Connection = {
      bearer,
      stream,
      waiting: new Map(),
      transport: {
        async start() {},
        send: (message) => send(connection, message as unknown as RpcMessage),
        // Closing the stream informs the client; its 'close' event does the rest.
        async close() {
          stream.close();
        },
      },
    };
    return connection;
  }

  return {
    async open(res, bearer) {
      if (connections.size >= limit) {
        return refuseRequest(res, {
          status: 503,
          message: 'Too many streams are open. Close some, or use /mcp.',
          headers: { 'retry-after': '5' },
        });
      }
      const id = randomUUID();
      const connection = connect(res, bearer);
      connections.set(id, connection);
      res.once('close', () => {
        connections.delete(id);
        for (const answered of connection.waiting.values()) answered(false);
        connection.transport.onclose?.();
      });
      await createServer().connect(connection.transport);
      await connection.stream.send('endpoint', `/messages?sessionId=${id}`);
    },
    async post(request, body, res, answered) {
      const stream = new URL(request.url).searchParams.get('sessionId') ?? '';
      const connection = connections.get(stream);
      const read = readMessage(body.toString('utf8'));
      const id = requestIdOf(read);
      if (connection?.bearer !== requestBy(request).httpCaller.bearer) {
        return refuseRequest(res, {
          status: 404,
          message: 'No such stream is open. Begin with GET /sse.',
          id,
        });
      }
      if ('error' in read) return sendJson(res, 400, { jsonrpc: '2.0', id, error: read.error });
      const { message } = read;
      const { waiting, transport } = connection;
      const asks = 'method' in message && message.id !== undefined && !isDirect(message);
      if (asks && waiting.has(message.id)) return refuseRequest(res, ID_IN_USE);
      if (waiting.size >= calls && message.method !== 'notifications/cancelled') {
        return refuseRequest(res, { ...TOO_MANY_CALLS, id });
      }
      sendNothing(res, 202);
      if (isDirect(message)) {
        const answer = await direct(message, request);
        if (answer !== null) await send(connection, answer);
        return;
      }
      if (asks) waiting.set(message.id, answered);
      transport.onmessage?.(message as unknown as JSONRPCMessage, { request });
      // A cancelled call gets no answer.
      if (message.method === 'notifications/cancelled') {
        const params = message.params as { readonly requestId?: unknown } | undefined;
        reportOutcome(waiting, params?.requestId, false);
      }
    },
    closeAll() {
      for (const { transport } of connections.values()) void transport.close();
    },
  };
}

function reportOutcome(waiting: Connection['waiting'], id: unknown, written: boolean): void {
  const answered = waiting.get(id);
  waiting.delete(id);
  answered?.(written);
}

const TOO_MANY_CALLS: RequestRefusal = {
  status: 503,
  message: 'Too many calls of this stream are not answered yet. Wait for some of them.',
  headers: { 'retry-after': '1' },
};
