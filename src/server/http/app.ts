// What is at which address. Everything that arrives here has passed the request guard.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { createMcpHandler, type Server, type ServerContext } from '@modelcontextprotocol/server';
import { type Context, Hono } from 'hono';
import type { Workspace } from '../../engine/workspace.ts';
import type { Toolset } from '../../operations/toolsets.ts';
import { VERSION } from '../../version.ts';
import type { CallerIdentity } from '../caller-identity.ts';
import { answerDirectly } from '../direct.ts';
import type { Log } from '../log.ts';
import type { Message } from '../message.ts';
import { openQuestionHandler } from '../questions/handler.ts';
import { openHealth } from './health.ts';
import { IDENTITY_HEADER, type Visitor } from './identity.ts';
import type { Launches } from './launches.ts';
import type { HttpLimits } from './limits.ts';
import { type TurnedAway, turnAway } from './reply.ts';
import { noteRequest, requestBy, requestContextOf } from './request-context.ts';
import { type Admitted, LAUNCHES } from './request-guard.ts';
import { openSessions } from './sessions.ts';
import { openSse } from './sse.ts';
import { streamable } from './streamable.ts';

interface Bindings {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

export interface AppOptions {
  readonly workspace: Workspace;
  readonly faces: readonly Toolset[];
  readonly log: Log;
  readonly limits: HttpLimits;
  readonly launches: Launches;
  now(): number;
  /** Makes the MCP server of one connection. */
  createServer(speaker: (context: ServerContext) => CallerIdentity): Server;
  /** What the request guard found out about a request. */
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
  const { workspace, faces, log, limits, launches, admitted, running } = options;
  const createServer = () => options.createServer((context) => requestContextOf(context).visitor);
  const sessions = openSessions({
    createServer,
    limit: limits.sessions,
    idleMs: limits.idleMs,
    now: options.now,
  });
  const stateless = createMcpHandler(createServer, { legacy: 'reject', maxSubscriptions: 256 });

  async function direct(message: Message, request: Request): Promise<Message | null> {
    const { caller, owner } = requestBy(request).visitor;
    const answering = answerDirectly(message, { workspace, faces, caller, owner }, log);
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
  const health = openHealth(workspace.paths.journal, () => {
    workspace.containment.require(workspace.paths.journal);
    workspace.prepare();
  });
  const questions = openQuestionHandler(workspace);
  const app = new Hono<Env>();

  /** Notes who makes the request and how to learn of its delivery, for `requestContextOf`. */
  function arrive(c: Context<Env>, delivered: () => Promise<boolean>) {
    const { visitor, body } = admitted(c.env.incoming);
    const request = c.req.raw;
    noteRequest(request, { visitor, delivered });
    return { request, body, incoming: c.env.incoming, res: c.env.outgoing };
  }

  app.all('/mcp', async (c) => {
    const arrival = arrive(c, () => answerTaken(c.env.outgoing));
    return (await serveMcp(arrival)) ?? RESPONSE_ALREADY_SENT;
  });
  app.get('/sse', async (c) => {
    // Hono takes HEAD for GET, and a stream that nobody hears would stay.
    if (c.env.incoming.method === 'HEAD') return refuse(c, ONLY_GET);
    await sse.open(c.env.outgoing, admitted(c.env.incoming).visitor.bearer);
    return RESPONSE_ALREADY_SENT;
  });
  app.post('/messages', async (c) => {
    let settle: (written: boolean) => void = () => {};
    const delivered = new Promise<boolean>((resolve) => {
      settle = resolve;
    });
    const { request, body, res } = arrive(c, () => delivered);
    await sse.post(request, body, res, settle);
    return RESPONSE_ALREADY_SENT;
  });
  app.post(LAUNCHES, (c) => {
    const { visitor, body } = admitted(c.env.incoming);
    launches.attach(visitor, body, c.env.outgoing);
    return RESPONSE_ALREADY_SENT;
  });
  // A person who has only the address comes with a browser. An event stream asked for here
  // is a client that was given the address without its path: it is told of /mcp below.
  app.get('/', (c) =>
    c.req.header('accept')?.includes('text/event-stream')
      ? refuse(c, NOT_FOUND)
      : c.redirect('/questions', 302),
  );
  app.get('/healthz', async (c) => {
    const found = await health();
    const facts = { ...found, version: VERSION, root: workspace.paths.root };
    const status = found.status === 'ok' ? 200 : 503;
    return c.json({ ...facts, sessions: sessions.count() }, status, {
      'cache-control': 'no-store',
    });
  });
  for (const place of ['/questions', '/questions/*', '/api/questions', '/api/questions/*']) {
    app.all(place, async (c) => {
      const { visitor } = admitted(c.env.incoming);
      return (await questions(c.req.raw, { agent: agentIn(visitor, c.req.raw) })) ?? c.notFound();
    });
  }
  // Clients that look for OAuth here get this, too, and go on without.
  app.notFound((c) => refuse(c, NOT_FOUND));
  app.onError((error, c) => {
    log.fault(c.req.path, error);
    return refuse(c, { status: 500, code: -32603, message: 'Internal error' });
  });

  return {
    async fetch(request, bindings) {
      const response = await app.fetch(request, bindings);
      // Of an answer to HEAD Hono makes another, and forgets that it was sent.
      return bindings.outgoing.headersSent ? RESPONSE_ALREADY_SENT : response;
    },
    async close() {
      sse.closeAll();
      await Promise.all([sessions.endAll(), stateless.close()]);
    },
  };
}

const ONLY_GET: TurnedAway = { status: 405, message: 'Use GET.', headers: { allow: 'GET' } };

const NOT_FOUND: TurnedAway = {
  status: 404,
  message: 'Not found. MCP is at /mcp, questions to you at /questions.',
};

function refuse(c: Context<Env>, refusal: TurnedAway): Response {
  turnAway(c.env.outgoing, refusal);
  return RESPONSE_ALREADY_SENT;
}

/** Whoever says or proves that it is an agent is no person; browsers say nothing. */
function agentIn({ bearer, caller }: Visitor, { headers }: Request): string | null {
  return bearer.kind === 'agent' || headers.has(IDENTITY_HEADER) ? caller.name : null;
}

/**
 * Whether all of an answer went out before the connection was gone. That the client is gone
 * may be waiting to be read while the answer is written, so a turn of the event loop decides.
 */
async function answerTaken(res: ServerResponse): Promise<boolean> {
  const { socket } = res;
  if (!res.writableFinished && !res.destroyed) {
    await new Promise((resolve) => res.once('close', resolve));
  }
  if (!res.writableFinished) return false;
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  return !(socket?.readableEnded || socket?.destroyed);
}
