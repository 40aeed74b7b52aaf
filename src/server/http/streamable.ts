// /mcp: both eras of the protocol at one address, and the direct methods in front of
// them. 2026-07-28 knows no sessions, and each request is served for itself; clients that
// open with `initialize` get a session, because only with one can they be asked anything.

import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  classifyInboundRequest,
  type McpHttpHandler,
  PROTOCOL_VERSION_META_KEY,
  ProtocolErrorCode,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { isDirect } from '../direct-names.ts';
import { type Message, readMessage } from '../message.ts';
import { ID_IN_USE, sendJson, sendNothing, type TurnedAway, turnAway } from './reply.ts';
import { requestBy } from './request-context.ts';
import type { SessionTransport } from './session-transport.ts';
import type { Sessions } from './sessions.ts';

export interface StreamableOptions {
  readonly sessions: Sessions;
  /** Serves the stateless era. */
  readonly stateless: McpHttpHandler;
  /** Answers a direct method; null: nothing is due. */
  direct(message: Message, request: Request): Promise<Message | null>;
}

/** One request: what the SDK is given, and what is beneath it. */
interface Arrival {
  /** Costs little until somebody looks into it, so nobody does who need not. */
  readonly request: Request;
  readonly incoming: IncomingMessage;
  readonly res: ServerResponse;
  readonly body: Buffer;
}

/** Null: the answer is on `res`, or will be. */
export type Serve = (arrival: Arrival) => Promise<Response | null>;

export function streamable(options: StreamableOptions): Serve {
  return async (arrival) => {
    switch (arrival.incoming.method) {
      case 'POST':
        return post(options, arrival);
      case 'GET':
        listen(options, arrival);
        return null;
      case 'DELETE':
        await endSession(options, arrival);
        return null;
      default:
        turnAway(arrival.res, {
          status: 405,
          message: 'Use POST, GET or DELETE.',
          headers: { allow: 'GET, POST, DELETE' },
        });
        return null;
    }
  };
}

async function post(options: StreamableOptions, arrival: Arrival): Promise<Response | null> {
  const { request, incoming, res, body } = arrival;
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
  if (isStateless(message, incoming)) {
    return options.stateless.fetch(request, { parsedBody: message });
  }
  await inSession(options.sessions, message, arrival);
  return null;
}

/** The SDK decides, except where nothing names a version and so nothing is to decide. */
function isStateless(message: Message, incoming: IncomingMessage): boolean {
  const { _meta } = (message.params ?? {}) as { readonly _meta?: object };
  const version = headerOf(incoming, 'mcp-protocol-version');
  const claims = _meta !== undefined && PROTOCOL_VERSION_META_KEY in _meta;
  if (!claims && (version === undefined || HANDSHAKE_VERSIONS.includes(version))) return false;
  const { kind } = classifyInboundRequest({
    httpMethod: 'POST',
    protocolVersionHeader: version,
    mcpMethodHeader: headerOf(incoming, 'mcp-method'),
    mcpNameHeader: headerOf(incoming, 'mcp-name'),
    body: message,
  });
  return kind !== 'legacy';
}

async function inSession(sessions: Sessions, message: Message, arrival: Arrival): Promise<void> {
  const { request, incoming, res } = arrival;
  const session =
    message.method === 'initialize' && headerOf(incoming, SESSION) === undefined
      ? await sessions.open(requestBy(request).visitor.bearer)
      : sessionOf(sessions, arrival);
  if (session === null) return turnAway(res, TOO_MANY);
  if ('status' in session) return turnAway(res, { ...session, id: requestId(message) });
  if (!('method' in message) || message.id === undefined) {
    session.tell(message, request);
    return sendNothing(res, 202);
  }
  if (!session.ask(message, request, res, takesEvents(incoming))) {
    turnAway(res, ID_IN_USE);
  }
}

function listen({ sessions }: StreamableOptions, arrival: Arrival): void {
  const { incoming, res } = arrival;
  const session = takesEvents(incoming) ? sessionOf(sessions, arrival) : NO_EVENTS;
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

async function endSession({ sessions }: StreamableOptions, arrival: Arrival): Promise<void> {
  const { res } = arrival;
  const session = sessionOf(sessions, arrival);
  if ('status' in session) return turnAway(res, session);
  sendNothing(res, 200);
  await sessions.end(session.sessionId);
}

const SESSION = 'mcp-session-id';
const STATELESS = '2026-07-28';
const HANDSHAKE_VERSIONS = SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version !== STATELESS);

const TOO_MANY: TurnedAway = {
  status: 503,
  message: 'Too many sessions are in use. Try again in a while, or end some with DELETE.',
  headers: { 'retry-after': '5' },
};

function sessionOf(sessions: Sessions, arrival: Arrival): SessionTransport | TurnedAway {
  const { incoming, request } = arrival;
  const id = headerOf(incoming, SESSION);
  if (id === undefined) {
    return {
      status: 400,
      message:
        'The header Mcp-Session-Id is missing. Send initialize first, and its id from then on.',
    };
  }
  const version = headerOf(incoming, 'mcp-protocol-version');
  if (version !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) {
    return {
      status: 400,
      code: ProtocolErrorCode.UnsupportedProtocolVersion,
      message: `Unsupported protocol version: ${version.slice(0, 100)}`,
      data: { supported: SUPPORTED_PROTOCOL_VERSIONS, requested: version.slice(0, 100) },
    };
  }
  const session = sessions.find(id, requestBy(request).visitor.bearer);
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

function takesEvents(incoming: IncomingMessage): boolean {
  return headerOf(incoming, 'accept')?.includes('text/event-stream') ?? false;
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
