// The routes. Every request here has passed the request guard.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { createMcpHandler, type Server, type ServerContext } from '@modelcontextprotocol/server';
import { type Context, Hono } from 'hono';
import type { Workspace } from '../../engine/workspace.ts';
import { RPC_CODES } from '../../operations/rpc-codes.ts';
import type { Toolset } from '../../operations/toolsets.ts';
import { VERSION } from '../../version.ts';
import type { CallerIdentity } from '../caller-identity.ts';
import { answerDirectly } from '../direct-methods.ts';
import type { Log } from '../log.ts';
import { openQuestionHandler } from '../questions/handler.ts';
import type { RpcMessage } from '../rpc-message.ts';
import { openHealth } from './health.ts';
import { type HttpCaller, IDENTITY_HEADER } from './identity.ts';
import type { Launches } from './launches.ts';
import type { HttpLimits } from './limits.ts';
import { openSessions } from './mcp-sessions.ts';
import { isCrossSite, isOfPage, type Page } from './page.ts';
import { type RequestRefusal, refuseAt, refuseRequest } from './reply.ts';
import {
  noteRequest,
  type RequestContext,
  requestBy,
  requestContextOf,
} from './request-context.ts';
import { type Admitted, LAUNCHES } from './request-guard.ts';
import { SIGN_IN, type SignIn } from './sign-in.ts';
import { openSse } from './sse.ts';
import { streamable } from './streamable.ts';

interface Bindings {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

export interface AppOptions {
  readonly workspace: Workspace;
  readonly toolsets: readonly Toolset[];
  readonly log: Log;
  readonly limits: HttpLimits;
  readonly launches: Launches;
  readonly signIn: SignIn;
  readonly page: Page | null;
  now(): number;
  /** Creates the MCP server of one connection. */
  createServer(identity: (context: ServerContext) => CallerIdentity): Server;
  /** What the request guard determined about a request. */
  admitted(incoming: IncomingMessage): Admitted;
  running(call: Promise<unknown>): void;
}

export interface App {
  fetch(request: Request, bindings: Bindings): Promise<Response>;
  /** Ends every session and stream. */
  close(): Promise<void>;
}

type Env = { Bindings: Bindings };

export function openApp(options: AppOptions): App {
  const { workspace, toolsets, log, limits, launches, signIn, page, admitted, running } = options;
  const createServer = () =>
    options.createServer((context) => requestContextOf(context).httpCaller);
  const sessions = openSessions({
    createServer,
    limit: limits.sessions,
    idleMs: limits.idleMs,
    now: options.now,
  });
  const stateless = createMcpHandler(createServer, { legacy: 'reject', maxSubscriptions: 256 });

  async function direct(message: RpcMessage, request: Request): Promise<RpcMessage | null> {
    const { caller, owner } = requestBy(request).httpCaller;
    const answering = answerDirectly(message, { workspace, toolsets, caller, owner }, log);
    running(answering);
    return answering;
  }

  const serveMcp = streamable({ sessions, stateless, direct });
  const sse = openSse({
    createServer,
    limit: limits.eventStreams,
    calls: limits.callsOfStream,
    direct,
  });
  const health = openHealth({
    journal: workspace.paths.journal,
    check() {
      workspace.containment.require(workspace.paths.journal);
      workspace.prepare();
    },
    database: workspace.database,
  });
  const questions = openQuestionHandler(workspace);
  const app = new Hono<Env>();

  /** Records the caller and the delivery of a request, for `requestContextOf`. */
  function receive(c: Context<Env>, delivery: Pick<RequestContext, 'connected' | 'delivered'>) {
    const { httpCaller, body } = admitted(c.env.incoming);
    const request = c.req.raw;
    noteRequest(request, { httpCaller, ...delivery });
    return { request, body, incoming: c.env.incoming, res: c.env.outgoing };
  }

  app.all('/mcp', async (c) => {
    const received = receive(c, deliveryOver(c.env.outgoing));
    return (await serveMcp(received)) ?? RESPONSE_ALREADY_SENT;
  });
  app.get('/sse', async (c) => {
    // Hono treats HEAD as GET, which would leave an unused stream open.
    if (c.env.incoming.method === 'HEAD') return refuse(c, ONLY_GET);
    await sse.open(c.env.outgoing, admitted(c.env.incoming).httpCaller.bearer);
    return RESPONSE_ALREADY_SENT;
  });
  app.post('/messages', async (c) => {
    let reportOutcome: (written: boolean) => void = () => {};
    const delivered = new Promise<boolean>((resolve) => {
      reportOutcome = resolve;
    });
    // The answer goes to another connection, whose writes report their own outcome.
    const { request, body, res } = receive(c, {
      connected: async () => true,
      delivered: () => delivered,
    });
    await sse.post(request, body, res, reportOutcome);
    return RESPONSE_ALREADY_SENT;
  });
  app.post(LAUNCHES, (c) => {
    const { httpCaller, body } = admitted(c.env.incoming);
    launches.attach(httpCaller, body, c.env.outgoing);
    return RESPONSE_ALREADY_SENT;
  });
  app.get(LAUNCHES, (c) => {
    launches.prove(admitted(c.env.incoming).httpCaller, c.env.outgoing);
    return RESPONSE_ALREADY_SENT;
  });
  app.get(SIGN_IN, (c) => {
    const code = c.req.query('code') ?? '';
    const cookie = c.env.incoming.method === 'HEAD' ? null : signIn.exchange(code);
    if (cookie === null) return c.text(SIGN_IN_FAILED, 403, NO_STORE);
    return c.body(null, 303, { ...NO_STORE, location: '/', 'set-cookie': cookie });
  });
  app.use(async (c, next) => {
    if (!isOfPage(c.req.path)) return next();
    const { httpCaller } = admitted(c.env.incoming);
    if (isCrossSite(c.req.raw, httpCaller.bearer.kind === 'person')) {
      refuseAt(c.req.path, c.env.outgoing, CROSS_SITE);
      return RESPONSE_ALREADY_SENT;
    }
    // A request for an event stream at the root comes from a client configured without the
    // path: the refusal below names /mcp.
    if (c.req.path === '/' && c.req.header('accept')?.includes('text/event-stream')) return next();
    const agent = agentIn(httpCaller, c.req.raw);
    const pageRequest = { request: c.req.raw, outgoing: c.env.outgoing, agent };
    const answer = (await page?.handle(pageRequest)) ?? null;
    if (answer === 'sent') return RESPONSE_ALREADY_SENT;
    return answer ?? next();
  });
  app.get('/healthz', async (c) => {
    const found = await health();
    const facts = { ...found, version: VERSION, root: workspace.paths.root };
    const status = found.status === 'ok' ? 200 : 503;
    return c.json({ ...facts, sessions: sessions.count() }, status, {
      'cache-control': 'no-store',
    });
  });
  for (const place of ['/questions', '/questions/*', '/api/questions/*']) {
    app.all(place, async (c) => {
      const { httpCaller } = admitted(c.env.incoming);
      return (
        (await questions(c.req.raw, { agent: agentIn(httpCaller, c.req.raw) })) ?? c.notFound()
      );
    });
  }
  // Clients that look for OAuth get this, too, and continue without it.
  app.notFound((c) => refuse(c, NOT_FOUND));
  app.onError((error, c) => {
    log.fault(c.req.path, error);
    return refuse(c, { status: 500, code: RPC_CODES.fault, message: 'Internal error' });
  });

  return {
    async fetch(request, bindings) {
      const response = await app.fetch(request, bindings);
      // For HEAD, Hono makes another response and forgets that one was sent.
      return bindings.outgoing.headersSent ? RESPONSE_ALREADY_SENT : response;
    },
    async close() {
      sse.closeAll();
      page?.close();
      await Promise.all([sessions.endAll(), stateless.close()]);
    },
  };
}

const NO_STORE = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

const SIGN_IN_FAILED =
  'This address was used before, or is too old. Run `deepwork dashboard` and open the address that it prints.\n';

const CROSS_SITE: RequestRefusal = {
  status: 403,
  message: 'This request came from another site. Open the page and do it there.',
};

const ONLY_GET: RequestRefusal = { status: 405, message: 'Use GET.', headers: { allow: 'GET' } };

const NOT_FOUND: RequestRefusal = {
  status: 404,
  message: 'Not found. MCP is at /mcp, the page at /, questions to you at /questions.',
};

function refuse(c: Context<Env>, refusal: RequestRefusal): Response {
  refuseRequest(c.env.outgoing, refusal);
  return RESPONSE_ALREADY_SENT;
}

/** Null for a person: browsers send neither the header nor the token of an agent. */
function agentIn({ bearer, caller }: HttpCaller, { headers }: Request): string | null {
  return bearer.kind === 'agent' || headers.has(IDENTITY_HEADER) ? caller.name : null;
}

/**
 * Whether a client gets its answer. A client that has left is recognized before the answer is
 * written: afterwards it looks like one that read the answer and left.
 */
function deliveryOver(res: ServerResponse): Pick<RequestContext, 'connected' | 'delivered'> {
  return {
    async connected() {
      // The end of the connection is read in a later turn of the event loop than it arrives.
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      return res.socket !== null && !res.socket.readableEnded && !res.destroyed;
    },
    async delivered() {
      if (!res.writableFinished && !res.destroyed) {
        await new Promise((resolve) => res.once('close', resolve));
      }
      return res.writableFinished;
    },
  };
}
