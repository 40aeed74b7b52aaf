// What is known of a request beyond what it says: who makes it, and whether its answer
// arrived. The SDK hands the request on to the handlers, so they find it here.

import type { ServerContext } from '@modelcontextprotocol/server';
import type { Visitor } from './identity.ts';

export interface Visit {
  readonly visitor: Visitor;
  /** True when the answer was handed to the system, false when the client was gone. */
  delivered(): Promise<boolean>;
}

const visits = new WeakMap<Request, Visit>();

export function noteRequest(request: Request, visit: Visit): void {
  visits.set(request, visit);
}

export function requestContextOf(context: ServerContext): Visit {
  return requestBy(context.http?.req);
}

/**
 * What became of the answer to a call that has just ended. A cancelled one is given none,
 * though its request ends well. (Asked later the signal says nothing: where there is no
 * session, it is aborted by the answer itself.)
 */
export async function deliveredTo(context: ServerContext): Promise<boolean> {
  const cancelled = context.mcpReq.signal.aborted;
  return (await requestContextOf(context).delivered()) && !cancelled;
}

export function requestBy(request: Request | undefined): Visit {
  const visit = request && visits.get(request);
  if (visit === undefined) throw new Error('A message came in by no request of ours');
  return visit;
}
