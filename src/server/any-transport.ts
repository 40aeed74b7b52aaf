// Serves one client of an embedded server (`createServer`) over any transport of the MCP SDKs. As over
// stdio, clients with and without a handshake are served, direct methods are answered in front of the
// SDK, and the calls of a client that goes away may finish.

import type { JSONRPCMessage, MessageExtraInfo, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { endedWithin } from '../async/ended-within.ts';
import { openRunningCalls } from '../async/running-calls.ts';
import type { CallerIdentity } from './caller-identity.ts';
import { openDeliveries } from './deliveries.ts';
import { answerDirectly } from './direct-methods.ts';
import { isDirect } from './direct-names.ts';
import type { Log } from './log.ts';
import { createMcpServer, type McpOptions } from './mcp.ts';
import { judgeMessage, type RpcMessage } from './rpc-message.ts';
import { GRACE_MS } from './stop.ts';

export interface ConnectionOptions extends Pick<McpOptions, 'workspace' | 'toolsets'> {
  readonly identity: CallerIdentity;
  readonly log: Log;
}

export interface Connection {
  /** Resolves when the client is gone and none of its calls is running. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

export async function serveOverTransport(
  inner: Transport,
  { workspace, toolsets, identity, log }: ConnectionOptions,
): Promise<Connection> {
  const running = openRunningCalls();
  /** Requests that the SDK has not answered yet; it starts them asynchronously. */
  const unanswered = new Map<unknown, () => void>();
  const handOn = (message: RpcMessage, extra: MessageExtraInfo | undefined) => {
    const { id, method, params } = message;
    if (method !== undefined && id !== undefined) {
      running.add(new Promise<void>((resolve) => unanswered.set(id, resolve)));
    }
    if (method === 'notifications/cancelled') {
      unanswered.get((params as { readonly requestId?: unknown } | undefined)?.requestId)?.();
    }
    outer.onmessage?.(message as unknown as JSONRPCMessage, extra);
  };
  const deliveries = openDeliveries();
  const quiet = () => endedWithin(running.ended(), GRACE_MS);

  const direct = async (message: RpcMessage) => {
    const response = await answerDirectly(message, { workspace, toolsets, ...identity }, log);
    if (response !== null) await inner.send(response as unknown as JSONRPCMessage);
  };
  const refuse = (id: unknown, error: object) =>
    inner.send({ jsonrpc: '2.0', id: id ?? null, error } as unknown as JSONRPCMessage);

  const outer: Transport = {
    async start() {
      inner.onmessage = (given, extra) => {
        const read = judgeMessage(given);
        if ('error' in read) running.add(refuse(read.id, read.error));
        else if (isDirect(read.message)) running.add(direct(read.message));
        else handOn(read.message, extra);
      };
      inner.onerror = (error) => outer.onerror?.(error);
      await inner.start();
    },
    async send(message, options) {
      const id = 'method' in message ? undefined : message.id;
      // Taken before the client gets the answer: then it may use the id for another request.
      const reportOutcome = 'result' in message ? deliveries.take(message.id) : () => {};
      const answered = unanswered.get(id);
      unanswered.delete(id);
      const sent = inner.send(message, options);
      const written = await sent.then(
        () => true,
        () => false,
      );
      reportOutcome(written);
      answered?.();
      return sent;
    },
    close: () => inner.close(),
  };
  const gone = new Promise<void>((resolve) => {
    inner.onclose = () => resolve();
  });
  const mcp = {
    workspace,
    identity: () => identity,
    toolsets,
    log,
    running: running.add,
    deliveries,
  };
  // Of the SDK's entry points, only the one for stdio supports both eras, so it gets this transport.
  const handle = serveStdio(() => createMcpServer(mcp), {
    transport: outer,
    onerror: (error) => log.fault('connection', error),
  });
  const closed = gone.then(async () => {
    await quiet();
    deliveries.close();
    await quiet();
    outer.onclose?.();
    await handle.close();
  });
  return {
    closed,
    async close() {
      await quiet();
      await inner.close();
      await closed;
    },
  };
}
