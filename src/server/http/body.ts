// The body of a request, read whole and never past its limit.

import type { IncomingMessage } from 'node:http';
import type { TurnedAway } from './reply.ts';

const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

/** How long what is too much may still flow in, so that its sender hears our answer. */
const DRAIN_MS = 2000;

export function isJson(contentType: string | undefined): boolean {
  return JSON_TYPE.test(contentType ?? '');
}

export function tooLarge(limit: number): TurnedAway {
  return {
    status: 413,
    // The connection stays for now: who is cut off while sending does not hear why.
    message: `The body is larger than ${limit} bytes. Send less in one request.`,
  };
}

/** Null: too large, and what else comes is thrown away. */
export async function readBody(req: IncomingMessage, limit: number): Promise<Buffer | null> {
  if (Number(req.headers['content-length'] ?? 0) > limit) return drain(req);
  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve, reject) => {
    req.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > limit) {
        req.removeAllListeners('data');
        resolve(drain(req));
      } else {
        chunks.push(chunk);
      }
    });
    req.once('end', () =>
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)),
    );
    req.once('error', reject);
    req.once('close', () => reject(new Error('The client left before its request was whole')));
  });
}

function drain(req: IncomingMessage): null {
  req.resume();
  setTimeout(() => req.destroy(), DRAIN_MS).unref();
  return null;
}
