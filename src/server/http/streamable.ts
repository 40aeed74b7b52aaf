// /mcp: both eras of the protocol at one address, with the direct methods in front of them.
// 2026-07-28 has no sessions, and each request is served on its own; clients that begin with
// `initialize` get a session, because the server can send requests only within one.

import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  classifyInboundRequest,
  type McpHttpHandler,
  PROTOCOL_VERSION_META_KEY,
  ProtocolErrorCode,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { isDirect } from '../direct-names.ts';
import { type RpcMessage, readMessage, requestIdOf } from '../rpc-message.ts';
import type { Sessions } from './mcp-sessions.ts';
import { ID_IN_USE, type RequestRefusal, refuseRequest, sendJson, sendNothing } from './reply.ts';
import { requestBy } from './request-context.ts';
import type { SessionTransport } from './session-transport.ts';

export interface StreamableOptions {
  readonly sessions: Sessions;
  /** Serves the stateless era. */
  readonly stateless: McpHttpHandler;
  /** Answers a direct method; null if no answer is due. */
  direct(message: RpcMessage, request: Request): Promise<RpcMessage | null>;
}

/** One request: what the SDK gets, and what is underneath. */
interface McpRequest {
  /** Created lazily by its library, so do not read from it unless necessary. */
  readonly request: Request;
  readonly incoming: IncomingMessage;
  readonly res: ServerResponse;
  readonly body: Buffer;
}

/** Null if the answer is, or will be, written to `res`. */
export type Serve = (received: McpRequest) => Promise<Response | null>;

export function streamable(options: StreamableOptions): Serve {
  return async (received) => {
    switch (received.incoming.method) {
      case 'POST':
        return post(options, received);
      case 'GET':
        listen(options, received);
        return null;
      case 'DELETE':
        await endSession(options, received);
        return null;
      default:
        refuseRequest(received.res, {
          status: 405,
          message: 'Use POST, GET or DELETE.',
          headers: { allow: 'GET, POST, DELETE' },
        });
        return null;
    }
  };
}

async function post(options: StreamableOptions, received: McpRequest): Promise<Response | null> {
  const { request, incoming, res, body } = received;
  const read = readMessage(body.toString('utf8'));
  if ('error' in read) {
    sendJson(res, 400, { jsonrpc: '2.0', id: requestIdOf(read), error: read.error });
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
  await inSession(options.sessions, message, received);
  return null;
}

/** The SDK decides, except for a request without any version, which is of the handshake era. */
function isStateless(message: RpcMessage, incoming: IncomingMessage): boolean {
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

async function inSession(
  sessions: Sessions,
  message: RpcMessage,
  received: McpRequest,
): Promise<void> {
  const { request, incoming, res } = received;
  const session =
    message.method === 'initialize' && headerOf(incoming, SESSION) === undefined
      ? await sessions.open(requestBy(request).httpCaller.bearer)
      : sessionOf(sessions, received);
  const id = requestIdOf({ message });
  if (session === null) return refuseRequest(res, { ...TOO_MANY, id });
  if ('status' in session) return refuseRequest(res, { ...session, id });
  if (!('method' in message) || message.id === undefined) {
    session.takeUnanswered(message, request);
    return sendNothing(res, 202);
  }
  if (!session.takeRequest(message, request, res, takesEvents(incoming))) {
    refuseRequest(res, ID_IN_USE);
  }
}

function listen({ sessions }: StreamableOptions, received: McpRequest): void {
  const { incoming, res } = received;
  const session = takesEvents(incoming) ? sessionOf(sessions, received) : NO_EVENTS;
  if ('status' in session) refuseRequest(res, session);
  else if (!session.listen(res)) refuseRequest(res, ONE_STREAM);
}

const NO_EVENTS: RequestRefusal = {
  status: 406,
  message: 'Send the header Accept: text/event-stream.',
};

const ONE_STREAM: RequestRefusal = {
  status: 409,
  message: 'This session has a stream already. Use that one.',
};

async function endSession({ sessions }: StreamableOptions, received: McpRequest): Promise<void> {
  const { res } = received;
  const session = sessionOf(sessions, received);
  if ('status' in session) return refuseRequest(res, session);
  sendNothing(res, 200);
  await sessions.end(session.sessionId);
}

const SESSION = 'mcp-session-id';
const STATELESS = '2026-07-28';
const HANDSHAKE_VERSIONS = SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version !== STATELESS);

const TOO_MANY: RequestRefusal = {
  status: 503,
  message: 'Too many sessions are in use. Try again in a while, or end some with DELETE.',
  headers: { 'retry-after': '5' },
};

function sessionOf(sessions: Sessions, received: McpRequest): SessionTransport | RequestRefusal {
  const { incoming, request } = received;
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
  const session = sessions.find(id, requestBy(request).httpCaller.bearer);
  if (session !== null) return session;
  return {
    status: 404,
    code: -32001,
    message: 'Session not found. It may have ended; send initialize to begin another.',
  };
}

function takesEvents(incoming: IncomingMessage): boolean {
  return headerOf(incoming, 'accept')?.includes('text/event-stream') ?? false;
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
