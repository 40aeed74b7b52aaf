// /mcp: both eras of the protocol at one address, and the direct methods in front of
// them. 2026-07-28 knows no sessions, and each request is served for itself; clients that
// open with `initialize` get a session, because only with one can they be asked anything.

import type { ServerResponse } from 'node:http';
import {
  classifyInboundRequest,
  type McpHttpHandler,
  ProtocolErrorCode,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { isDirect } from '../direct-names.ts';
import { type Message, readMessage } from '../message.ts';
import { sendJson, sendNothing, type TurnedAway, turnAway } from './reply.ts';
import type { SessionTransport } from './session-transport.ts';
import type { Sessions } from './sessions.ts';

export interface StreamableOptions {
  readonly sessions: Sessions;
  /** Serves the stateless era. */
  readonly stateless: McpHttpHandler;
  /** Answers a direct method; null: nothing is due. */
  direct(message: Message, request: Request): Promise<Message | null>;
}

/** Null: the answer is on `res`, or will be. */
export type Serve = (
  request: Request,
  body: Buffer,
  res: ServerResponse,
) => Promise<Response | null>;

export function streamable(options: StreamableOptions): Serve {
  return async (request, body, res) => {
    switch (request.method) {
      case 'POST':
        return post(options, request, body, res);
      case 'GET':
        listen(options, request, res);
        return null;
      case 'DELETE':
        await endSession(options, request, res);
        return null;
      default:
        turnAway(res, {
          status: 405,
          message: 'Use POST, GET or DELETE.',
          headers: { allow: 'GET, POST, DELETE' },
        });
        return null;
    }
  };
}

async function post(
  options: StreamableOptions,
  request: Request,
  body: Buffer,
  res: ServerResponse,
): Promise<Response | null> {
  const read = readMessage(body.toString('utf8'));
  if ('error' in read) {
    sendJson(res, 400, { jsonrpc: '2.0', id: read.id ?? null, error: read.error });
    return null;
  }
  const { message } = read;
  if (isDirect(message)) {
    const answer = await options.direct(message, request);
    if (answer === null) sendNothing(res, 202);
    else sendJson(res, 200, answer);
    return null;
  }
  const { headers } = request;
  const { kind } = classifyInboundRequest({
    httpMethod: 'POST',
    protocolVersionHeader: headers.get('mcp-protocol-version') ?? undefined,
    mcpMethodHeader: headers.get('mcp-method') ?? undefined,
    mcpNameHeader: headers.get('mcp-name') ?? undefined,
    body: message,
  });
  if (kind !== 'legacy') return options.stateless.fetch(request, { parsedBody: message });
  await inSession(options.sessions, message, request, res);
  return null;
}

async function inSession(
  sessions: Sessions,
  message: Message,
  request: Request,
  res: ServerResponse,
): Promise<void> {
  const session =
    message.method === 'initialize' && !request.headers.has('mcp-session-id')
      ? await sessions.open()
      : sessionOf(sessions, request);
  if (session === null) return turnAway(res, TOO_MANY);
  if ('status' in session) return turnAway(res, { ...session, id: requestId(message) });
  if (!('method' in message) || message.id === undefined) {
    session.tell(message, request);
    return sendNothing(res, 202);
  }
  const events = takesEvents(request);
  if (!session.ask(message, request, res, events)) {
    const reason = 'a request of this id is running in this session; use another';
    turnAway(res, { status: 400, code: ProtocolErrorCode.InvalidRequest, message: reason });
  }
}

function listen({ sessions }: StreamableOptions, request: Request, res: ServerResponse): void {
  const session = takesEvents(request) ? sessionOf(sessions, request) : NO_EVENTS;
  if ('status' in session) turnAway(res, session);
  else if (!session.listen(res)) turnAway(res, ONE_STREAM);
}

const NO_EVENTS: TurnedAway = {
  status: 406,
  message: 'Send the header Accept: text/event-stream.',
};

const ONE_STREAM: TurnedAway = {
  status: 409,
  message: 'This session has a stream already. Use that one.',
};

async function endSession(
  { sessions }: StreamableOptions,
  request: Request,
  res: ServerResponse,
): Promise<void> {
  const session = sessionOf(sessions, request);
  if ('status' in session) return turnAway(res, session);
  sendNothing(res, 200);
  await sessions.end(session.sessionId);
}

const TOO_MANY: TurnedAway = {
  status: 503,
  message: 'Too many sessions are in use. Try again in a while, or end some with DELETE.',
  headers: { 'retry-after': '5' },
};

function sessionOf(sessions: Sessions, { headers }: Request): SessionTransport | TurnedAway {
  const id = headers.get('mcp-session-id');
  if (id === null) {
    return {
      status: 400,
      message:
        'The header Mcp-Session-Id is missing. Send initialize first, and its id from then on.',
    };
  }
  const version = headers.get('mcp-protocol-version');
  if (version !== null && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) {
    return {
      status: 400,
      code: ProtocolErrorCode.UnsupportedProtocolVersion,
      message: `Unsupported protocol version: ${version.slice(0, 100)}`,
      data: { supported: SUPPORTED_PROTOCOL_VERSIONS, requested: version.slice(0, 100) },
    };
  }
  const session = sessions.find(id);
  if (session !== null) return session;
  return {
    status: 404,
    code: -32001,
    message: 'Session not found. It may have ended; send initialize to begin another.',
  };
}

function requestId({ id, method }: Message): string | number | null {
  return method !== undefined && (typeof id === 'string' || typeof id === 'number') ? id : null;
}

function takesEvents({ headers }: Request): boolean {
  const accept = headers.get('accept') ?? '';
  return accept.includes('text/event-stream');
}
