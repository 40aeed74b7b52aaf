// Writes answers to the socket: complete JSON bodies, and refusals. A client that does not
// read its answer is disconnected: see `open-responses.ts`.

import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { RPC_CODES } from '../../operations/rpc-codes.ts';

/** Why a request is refused. The message says what to do instead. */
export interface RequestRefusal {
  readonly status: number;
  readonly message: string;
  /** A JSON-RPC code, if the protocol has one for it. */
  readonly code?: number;
  readonly data?: unknown;
  readonly id?: string | number | null;
  readonly headers?: OutgoingHttpHeaders;
}

/** JSON-RPC's code for server errors. */
const SERVER_ERROR = -32000;

/** A second request with the id of a running one could not be distinguished from it. */
export const ID_IN_USE: RequestRefusal = {
  status: 400,
  code: RPC_CODES.invalid_request,
  message: 'a request with this id is running in this session; use another',
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
  // As text, so that head and body are sent in one write.
  res.end(body);
}

export function sendNothing(res: ServerResponse, status: number): void {
  if (res.destroyed || res.headersSent) return;
  res.writeHead(status, { 'content-length': 0 });
  res.end();
}

/** Codes of the page's API, which has words where JSON-RPC has numbers. */
const WORDS: Readonly<Record<number, string>> = {
  400: 'bad_request',
  401: 'not_signed_in',
  403: 'forbidden',
  404: 'not_found',
  413: 'too_large',
  415: 'wrong_type',
  503: 'busy',
};

/** Refuses in the format of this path. */
export function refuseAt(path: string, res: ServerResponse, refusal: RequestRefusal): void {
  const { status, message, headers } = refusal;
  if (!path.startsWith('/api/')) refuseRequest(res, refusal);
  else sendJson(res, status, { code: WORDS[status] ?? 'refused', message, next: null }, headers);
}

export function refuseRequest(res: ServerResponse, refusal: RequestRefusal): void {
  const { status, message, code = SERVER_ERROR, data, id = null, headers } = refusal;
  const error = { code, message, ...(data === undefined ? {} : { data }) };
  sendJson(res, status, { jsonrpc: '2.0', id, error }, headers);
}
