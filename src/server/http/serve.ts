// One HTTP server for one workspace: takes over a listening socket, serves until it is
// stopped, and then waits up to two seconds for running calls.

import type { IncomingMessage, Server as NodeServer, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import type { Server } from '@modelcontextprotocol/server';
import { openRunningCalls } from '../../async/running-calls.ts';
import type { Caller } from '../../core/team/caller.ts';
import type { Workspace } from '../../engine/workspace.ts';
import type { Toolset } from '../../operations/toolsets.ts';
import { type Log, stderrLog } from '../log.ts';
import { createMcpServer, type McpOptions } from '../mcp.ts';
import { GRACE_MS } from '../stop.ts';
import { openAgentResponses } from './agent-responses.ts';
import { openApp } from './app.ts';
import { openLaunches } from './launches.ts';
import { type HttpLimits, LIMITS } from './limits.ts';
import { openResponses } from './open-responses.ts';
import type { Page } from './page.ts';
import { type RequestRefusal, refuseAt } from './reply.ts';
import { connectedTo, deliveredTo } from './request-context.ts';
import { type Admitted, admit, type RequestGuardOptions, requestPath } from './request-guard.ts';
import { openSignIn } from './sign-in.ts';
import { openTokens } from './tokens.ts';

export interface HttpOptions {
  readonly workspace: Workspace;
  readonly toolsets: readonly Toolset[];
  /** A secret that this server and its launches prove to each other. */
  readonly pass: string;
  /** Whether tokens are required, and the owner's tokens. */
  readonly tokens: { readonly on: boolean; readonly owners: readonly string[] };
  allowedHosts(): Promise<readonly string[]>;
  /** Called with the number of launches whenever one begins or ends. */
  readonly launchesChanged?: (open: number) => void;
  /** The web page and its API; left out: there is none. */
  readonly page?: Page;
  /** False: there is no person in front of its clients. */
  readonly forms?: boolean;
  readonly limits?: HttpLimits;
  readonly log?: Log;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
  /** Creates the MCP server of one connection; default: ours. */
  readonly createServer?: (options: McpOptions) => Server;
}

export interface HttpService {
  /** Handles one request of the socket. */
  handle(req: IncomingMessage, res: ServerResponse): void;
  /** A token for an agent that this process runs; ending it ends the agent's streams, too. */
  issueToken(caller: Caller, stack: string | null): { readonly token: string; end(): void };
  /** Resolves when the calls that run now have been answered. */
  answered(): Promise<unknown>;
  /** Gives running calls time to finish, ends every stream, closes the socket. */
  stop(): Promise<void>;
}

export function openHttpService(server: NodeServer, options: HttpOptions): HttpService {
  const { workspace, toolsets, limits = LIMITS, pass } = options;
  const { log = stderrLog(workspace.stderr) } = options;
  const { createServer = createMcpServer, forms = true } = options;
  const running = openRunningCalls();
  const tokens = openTokens(options.tokens.on, options.tokens.owners);
  let port: number | undefined;
  const portNow = () => (port ??= (server.address() as AddressInfo | null)?.port ?? 0);
  const now = options.now ?? (() => performance.now());
  const signIn = openSignIn({ port: portNow, now });
  const agentResponses = openAgentResponses();
  const launches = openLaunches({
    pass,
    tokens,
    signIn,
    limit: limits.launches,
    changed: options.launchesChanged ?? (() => {}),
    over: agentResponses.end,
  });
  const admittedRequests = new WeakMap<IncomingMessage, Admitted>();
  const app = openApp({
    workspace,
    toolsets,
    log,
    limits,
    launches,
    signIn,
    page: options.page ?? null,
    createServer: (identity) =>
      createServer({
        workspace,
        identity,
        toolsets,
        log,
        forms,
        running: running.add,
        connected: connectedTo,
        delivered: deliveredTo,
      }),
    now,
    admitted: (incoming) => admittedRequests.get(incoming) as Admitted,
    running: running.add,
  });
  const route = getRequestListener((request, bindings) =>
    app.fetch(request, bindings as Parameters<typeof app.fetch>[1]),
  );
  const guard: RequestGuardOptions = {
    port: portNow,
    allowedHosts: () => options.allowedHosts().catch(() => []),
    tokens,
    signIn,
    pass,
    bodyBytes: limits.bodyBytes,
    bodies: { limit: limits.allBodyBytes, held: 0 },
  };
  const responses = openResponses(limits);
  let stopping = false;

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const refuse = (refusal: RequestRefusal) => refuseAt(requestPath(req), res, refusal);
    if (!responses.add(res)) return refuse(TOO_MANY);
    const admitted = await admit(req, res, guard);
    if ('status' in admitted) return refuse(admitted);
    if (stopping) return refuse({ status: 503, message: 'This server is stopping.' });
    admittedRequests.set(req, admitted);
    const { bearer } = admitted.httpCaller;
    agentResponses.note(bearer, res);
    if (bearer.kind === 'person') endWithSignIn(res, bearer.timeLeft);
    // The body was already read from the socket.
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
    issueToken(caller, stack) {
      const { token, bearer, revoke } = tokens.issue(caller, { stack });
      const end = () => {
        revoke();
        agentResponses.end(bearer);
      };
      return { token: token ?? '', end };
    },
    answered: () => running.ended(),
    async stop() {
      stopping = true;
      const closed = new Promise((resolve) => server.close(resolve));
      const enough = pause(GRACE_MS);
      await Promise.race([running.ended(), enough]);
      workspace.stop();
      // One more turn, so that the answer of a call that just ended is sent.
      await pause(0);
      launches.closeAll();
      await app.close();
      server.closeIdleConnections();
      await Promise.race([closed, pause(GRACE_MS / 4)]);
      server.closeAllConnections();
      // The outcome of every answer is known now, so the work that depends on it can run.
      await Promise.race([running.ended(), enough]);
      await Promise.race([workspace.close(), enough]);
    },
  };
}

/** An open stream ends with the sign-in that it was opened with. */
function endWithSignIn(res: ServerResponse, timeLeft: number): void {
  if (timeLeft === 0) return;
  const timer = setTimeout(() => res.end(), timeLeft).unref();
  res.once('close', () => clearTimeout(timer));
}

const TOO_MANY: RequestRefusal = {
  status: 503,
  message: 'Too many requests are waiting for their answers. Try again in a moment.',
  headers: { 'retry-after': '1' },
};
