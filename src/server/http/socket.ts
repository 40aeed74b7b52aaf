// The listening socket, opened before anything heavy is loaded: a server that was started
// for a launch can be found and reached at once, and whoever comes early waits for its
// answer instead of being sent away.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LIMITS } from './limits.ts';

type Handle = (req: IncomingMessage, res: ServerResponse) => void;

export interface Socket {
  readonly server: Server;
  readonly port: number;
  /** From now on requests go to this handler; those that waited go first. */
  handOver(handle: Handle): void;
}

/** Clients that keep connections open are told to, for a while. */
const KEEP_ALIVE_MS = 30_000;

export async function openSocket(host: string, port: number, limits = LIMITS): Promise<Socket> {
  let waiting: Parameters<Handle>[] = [];
  let handler: Handle | undefined;
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // How often slow senders are looked for.
      connectionsCheckingInterval: Math.min(1000, limits.headersMs),
      maxHeaderSize: 16 * 1024,
    },
    (req, res) => {
      if (handler === undefined) waiting.push([req, res]);
      else handler(req, res);
    },
  );
  // Headers past a number would be dropped unseen; their size is bounded already.
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
