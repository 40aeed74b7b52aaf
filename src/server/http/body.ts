// Reads the body of a request, never past its limit. All bodies together have a limit, too: a
// client that sends many and completes none must not fill the memory. The first part of each
// is not counted, so that ordinary calls get through while large ones are refused.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestRefusal } from './reply.ts';

const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

/** How long an oversized body may keep arriving, so that its sender reads our answer. */
const DRAIN_MS = 2000;

export function isJson(contentType: string | undefined): boolean {
  return JSON_TYPE.test(contentType ?? '');
}

export function tooLarge(limit: number): RequestRefusal {
  return {
    status: 413,
    // The connection stays open for now: a sender that is cut off does not see the reason.
    message: `The body is larger than ${limit} bytes. Send less in one request.`,
  };
}

export const TOO_MUCH_AT_ONCE: RequestRefusal = {
  status: 503,
  message: 'Too many large requests are being received at once. Try again in a moment.',
  headers: { 'retry-after': '1' },
};

/** Bytes of each body that do not count towards the total. */
const FREE_BYTES = 64 * 1024;

/** Shared by all bodies held at one time. */
export interface BodyBudget {
  readonly limit: number;
  held: number;
}

export type BodyRead =
  | { readonly kind: 'body'; readonly bytes: Buffer }
  /** The rest is discarded. */
  | { readonly kind: 'too-large' }
  | { readonly kind: 'over-budget' };

/** Its share of the budget is released when the response closes. */
export async function readBody(
  req: IncomingMessage,
  res: ServerResponse,
  limit: number,
  budget: BodyBudget,
): Promise<BodyRead> {
  if (Number(req.headers['content-length'] ?? 0) > limit) return drain(req, 'too-large');
  // One buffer for all of it: a chunk may be a single byte, and as an object it takes a hundred.
  let held: Buffer = Buffer.alloc(0);
  let length = 0;
  let counted = 0;
  res.once('close', () => {
    budget.held -= counted;
  });
  return new Promise((resolve, reject) => {
    const giveUp = (kind: 'too-large' | 'over-budget') => {
      req.removeAllListeners('data');
      held = Buffer.alloc(0);
      resolve(drain(req, kind));
    };
    req.on('data', (chunk: Buffer) => {
      const end = length;
      length += chunk.length;
      const more = Math.max(0, length - FREE_BYTES) - counted;
      if (length > limit) giveUp('too-large');
      else if (more > 0 && budget.held + more > budget.limit) giveUp('over-budget');
      else {
        counted += more;
        budget.held += more;
        // Most bodies come as one chunk.
        if (end === 0) held = chunk;
        else {
          if (length > held.length) held = enlarged(held, length);
          held.set(chunk, end);
        }
      }
    });
    req.once('end', () => resolve({ kind: 'body', bytes: held.subarray(0, length) }));
    req.once('error', reject);
    req.once('close', () => reject(new Error('The client left before its request was complete')));
  });
}

function enlarged(bytes: Buffer, length: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * bytes.length));
  larger.set(bytes);
  return larger;
}

function drain<Kind>(req: IncomingMessage, kind: Kind): { readonly kind: Kind } {
  req.resume();
  setTimeout(() => req.destroy(), DRAIN_MS).unref();
  return { kind };
}
