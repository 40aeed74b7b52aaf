// Writing an answer to the socket: whole JSON bodies, and what a request that is turned
// away gets. Who does not read what it asked for is let go: see `open-responses.ts`.

import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** Why a request goes no further. The message says what to do instead. */
export interface TurnedAway {
  readonly status: number;
  readonly message: string;
  /** A JSON-RPC code where the protocol has one for it. */
  readonly code?: number;
  readonly data?: unknown;
  readonly id?: string | number | null;
  readonly headers?: OutgoingHttpHeaders;
}

/** JSON-RPC's range for what the server itself has to say. */
const SERVER_ERROR = -32000;

/** A second request of a running one's id could not be told from it. */
export const ID_IN_USE: TurnedAway = {
  status: 400,
  code: -32600,
  message: 'a request of this id is running in this session; use another',
};

export function sendJson(
  res: ServerResponse,
  status: number,
  value: unknown,
  headers: OutgoingHttpHeaders = {},
): void {
  if (res.destroyed || res.headersSent) return;
  const body = JSON.stringify(value);
  res.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    ...headers,
  });
  // As text, so that head and body leave in one write.
  res.end(body);
}

export function sendNothing(res: ServerResponse, status: number): void {
  if (res.destroyed || res.headersSent) return;
  res.writeHead(status, { 'content-length': 0 });
  res.end();
}

export function turnAway(res: ServerResponse, refusal: TurnedAway): void {
  const { status, message, code = SERVER_ERROR, data, id = null, headers } = refusal;
  const error = { code, message, ...(data === undefined ? {} : { data }) };
  sendJson(res, status, { jsonrpc: '2.0', id, error }, headers);
}
