// One HTTP server for one workspace: takes over a socket that is listening already,
// serves until it is told to stop, and then lets running calls finish for a moment.

import type { IncomingMessage, Server as NodeServer, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Server } from '@modelcontextprotocol/server';
import type { Workspace } from '../../engine/workspace.ts';
import type { Toolset } from '../../operations/toolsets.ts';
import { type Log, stderrLog } from '../log.ts';
import { createMcpServer, type McpOptions } from '../mcp.ts';
import { GRACE_MS, pause } from '../stop.ts';
import { openAgentResponses } from './agent-responses.ts';
import { openApp } from './app.ts';
import { openLaunches } from './launches.ts';
import { type HttpLimits, LIMITS } from './limits.ts';
import { openResponses } from './open-responses.ts';
import { type TurnedAway, turnAway } from './reply.ts';
import { deliveredTo } from './request-context.ts';
import { type Admitted, admit, type RequestGuardOptions } from './request-guard.ts';
import { openTokens } from './tokens.ts';

export interface HttpOptions {
  readonly workspace: Workspace;
  readonly faces: readonly Toolset[];
  /** What this server and the launches that look for it show each other to know. */
  readonly pass: string;
  /** Whether tokens are asked for, and those of the owner. */
  readonly tokens: { readonly on: boolean; readonly owners: readonly string[] };
  allowedHosts(): Promise<readonly string[]>;
  /** Told how many launches there are, whenever one begins or ends. */
  readonly launchesChanged?: (open: number) => void;
  readonly limits?: HttpLimits;
  readonly log?: Log;
  /** Milliseconds on a clock that only goes forward. */
  readonly now?: () => number;
  /** Makes the MCP server of one connection; ours unless told otherwise. */
  readonly createServer?: (options: McpOptions) => Server;
}

export interface HttpService {
  /** Handles one request of the socket. */
  handle(req: IncomingMessage, res: ServerResponse): void;
  /** Lets running calls finish, ends every stream, closes the socket. */
  stop(): Promise<void>;
}

export function openHttpService(server: NodeServer, options: HttpOptions): HttpService {
  const { workspace, faces, limits = LIMITS, log = stderrLog(), pass } = options;
  const { createServer = createMcpServer } = options;
  const running = new Set<Promise<unknown>>();
  const track = (call: Promise<unknown>) => {
    running.add(call);
    call.finally(() => running.delete(call)).catch(() => {});
  };
  const tokens = openTokens(options.tokens.on, options.tokens.owners);
  const departures = openAgentResponses();
  const launches = openLaunches({
    pass,
    tokens,
    limit: limits.launches,
    changed: options.launchesChanged ?? (() => {}),
    over: departures.end,
  });
  const arrivals = new WeakMap<IncomingMessage, Admitted>();
  const app = openApp({
    workspace,
    faces,
    log,
    limits,
    launches,
    createServer: (speaker) =>
      createServer({
        workspace,
        speaker,
        faces,
        log,
        running: track,
        delivered: deliveredTo,
      }),
    now: options.now ?? (() => performance.now()),
    admitted: (incoming) => arrivals.get(incoming) as Admitted,
    running: track,
  });
  const route = getRequestListener((request, bindings) =>
    app.fetch(request, bindings as Parameters<typeof app.fetch>[1]),
  );
  let port: number | undefined;
  const entrance: RequestGuardOptions = {
    port: () => (port ??= (server.address() as AddressInfo | null)?.port ?? 0),
    allowedHosts: () => options.allowedHosts().catch(() => []),
    tokens,
    pass,
    bodyBytes: limits.bodyBytes,
    bodies: { limit: limits.allBodyBytes, held: 0 },
  };
  const responses = openResponses(limits);
  let stopping = false;

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (!responses.add(res)) return turnAway(res, TOO_MANY);
    const admitted = await admit(req, res, entrance);
    if ('status' in admitted) return turnAway(res, admitted);
    if (stopping) return turnAway(res, { status: 503, message: 'This server is stopping.' });
    arrivals.set(req, admitted);
    departures.note(admitted.visitor.bearer, res);
    // What was read from the socket is not there to be read again.
    Object.assign(req, { rawBody: admitted.body });
    await route(req, res);
  }

  return {
    handle(req, res) {
      handle(req, res).catch((error: unknown) => {
        if (!req.destroyed) log.fault('http', error);
        res.destroy();
      });
    },
    async stop() {
      stopping = true;
      const closed = new Promise((resolve) => server.close(resolve));
      const enough = pause(GRACE_MS);
      await Promise.race([Promise.allSettled([...running]), enough]);
      workspace.stop();
      // One more turn, so that the answer of a call that just ended is on its way.
      await pause(0);
      launches.closeAll();
      await app.close();
      server.closeIdleConnections();
      await Promise.race([closed, pause(GRACE_MS / 4)]);
      server.closeAllConnections();
      // Now that it is known what became of every answer, what follows from that is done.
      await Promise.race([Promise.allSettled([...running]), enough]);
      await Promise.race([workspace.close(), enough]);
    },
  };
}

const TOO_MANY: TurnedAway = {
  status: 503,
  message: 'Too many requests are waiting for their answers. Try again in a moment.',
  headers: { 'retry-after': '1' },
};
