// Data about a request that is not in it: who makes it, and whether its answer arrived. The
// SDK passes the request on to the handlers, so they can look it up here.

import type { ServerContext } from '@modelcontextprotocol/server';
import type { HttpCaller } from './identity.ts';

export interface RequestContext {
  readonly httpCaller: HttpCaller;
  /** Whether the client is still there, before the answer is sent. */
  connected(): Promise<boolean>;
  /** True if the answer was handed to the system, false if the client was gone. */
  delivered(): Promise<boolean>;
}

const contexts = new WeakMap<Request, RequestContext>();

export function noteRequest(request: Request, context: RequestContext): void {
  contexts.set(request, context);
}

export function requestContextOf(context: ServerContext): RequestContext {
  return requestBy(context.http?.req);
}

/**
 * Whether the answer to a call that has just ended was delivered. A cancelled call gets no
 * answer, though its request ends normally. (Call it at once: without a session, the answer
 * itself aborts the signal later.)
 */
export async function deliveredTo(context: ServerContext): Promise<boolean> {
  const cancelled = context.mcpReq.signal.aborted;
  return (await requestContextOf(context).delivered()) && !cancelled;
}

export function connectedTo(context: ServerContext): Promise<boolean> {
  return requestContextOf(context).connected();
}

export function requestBy(request: Request | undefined): RequestContext {
  const context = request && contexts.get(request);
  if (context === undefined) throw new Error('No context was recorded for this request');
  return context;
}
