// The listening socket, opened before the engine is loaded: a server started for a launch can be
// reached at once, and early requests wait for their answer instead of being refused.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LIMITS } from './limits.ts';
import { paceConnections } from './paced-connection.ts';

type Handle = (req: IncomingMessage, res: ServerResponse) => void;

export interface Socket {
  readonly server: Server;
  readonly port: number;
  /** Passes requests to this handler from now on, waiting ones first. */
  handOver(handle: Handle): void;
}

/** How long idle connections stay open. */
const KEEP_ALIVE_MS = 30_000;

export async function openSocket(host: string, port: number, limits = LIMITS): Promise<Socket> {
  let waiting: Parameters<Handle>[] = [];
  let handler: Handle | undefined;
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // How often to check for slow senders.
      connectionsCheckingInterval: Math.min(1000, limits.headersMs),
      maxHeaderSize: 16 * 1024,
    },
    (req, res) => {
      if (handler === undefined) waiting.push([req, res]);
      else handler(req, res);
    },
  );
  paceConnections(server);
  // Headers beyond a count would be dropped silently; their total size is bounded already.
  server.maxHeadersCount = 0;
  server.maxConnections = limits.connections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    server,
    port: (server.address() as AddressInfo).port,
    handOver(next) {
      handler = next;
      const queue = waiting;
      waiting = [];
      for (const [req, res] of queue) next(req, res);
    },
  };
}
