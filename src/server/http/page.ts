// The interface through which the server calls the web page and its API. They belong to a higher layer
// and are passed in. They get requests that the guard has admitted, with what it found out about the
// caller.

import type { ServerResponse } from 'node:http';

export interface PageRequest {
  readonly request: Request;
  /** For answers that are a stream of events. */
  readonly outgoing: ServerResponse;
  /** The agent that calls; null for a person, or a program on a person's behalf. */
  readonly agent: string | null;
}

export interface Page {
  /** Null: not one of its addresses. `sent`: the answer was written by the page itself. */
  handle(request: PageRequest): Promise<Response | 'sent' | null>;
  /** Ends every stream. */
  close(): void;
}

/** The paths on which the cookie of a person counts; it never counts for MCP. */
const PATHS = /^\/(?:$|assets\/|api\/|questions(?:\/|$)|service-worker\.js$)/;

export function isOfPage(path: string): boolean {
  return PATHS.test(path);
}

/**
 * Whether a browser sent this request for another site, or a request that changes something
 * without naming its site. Browsers send headers that tell, which pages cannot forge; programs send
 * none.
 */
export function isCrossSite({ headers, method }: Request, isSignedIn: boolean): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin' && site !== 'none') return true;
  const isBrowser = site !== null || isSignedIn;
  const isRead = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
  return isBrowser && !isRead && headers.get('origin') === null;
}
