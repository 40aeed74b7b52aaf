// Attaching a launch to a server: one request that the server answers at once and then
// keeps open. As long as it is open the launch lives. Both show that they know the pass of
// the registry, which is never sent; whoever answers anything else is a stranger on the
// port of a dead server, and nothing that it says counts.

import { createHash } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { authorizationOf, isProofOf, newNonce } from '../environment/launch-proof.ts';
import type { Registration } from './registry.ts';

export interface Lease {
  /** The agent's token; null: this server asks for none. */
  readonly token: string | null;
  /** Resolves when the connection has ended, whoever ended it. */
  readonly over: Promise<void>;
  end(): void;
}

export interface AttachOptions {
  readonly identity: string;
  readonly patienceMs: number;
  /** A token that the agent has already; it stays valid. The server is sent only its hash. */
  readonly keep?: string | null;
  readonly signal?: AbortSignal | undefined;
}

/** What stands in the first line is short. */
const LINE_LIMIT = 64 * 1024;

/** Null: it is not there any more. */
export function attach(
  server: Registration,
  { identity, patienceMs, keep = null, signal }: AttachOptions,
): Promise<Lease | null> {
  if (server.url === '') return Promise.resolve(null);
  return new Promise((resolve) => {
    const nonce = newNonce();
    const body = JSON.stringify({
      identity,
      ...(keep === null ? {} : { token_hash: hashOf(keep) }),
    });
    const req = request(`${server.url}/launches`, {
      method: 'POST',
      agent: false,
      signal,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        authorization: authorizationOf(server.pass, nonce),
      },
    });
    const timer = setTimeout(gone, patienceMs);
    function gone(): void {
      clearTimeout(timer);
      req.destroy();
      resolve(null);
    }
    req.on('error', gone);
    const over = new Promise<void>((ended) => req.on('close', () => ended()));
    req.on('close', gone);
    req.on('response', (res) => {
      readLine(res, (line) => {
        const told = line === null ? null : readAnswer(line);
        if (told === null || !isProofOf('server', server.pass, nonce, told.proof)) return gone();
        clearTimeout(timer);
        resolve({ token: told.token, over, end: () => req.destroy() });
      });
    });
    req.end(body);
  });
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** Null: there is none. What comes after it is of no interest. */
function readLine(res: IncomingMessage, found: (line: string | null) => void): void {
  let text = '';
  res.setEncoding('utf8');
  res.on('error', () => found(null));
  res.on('end', () => found(null));
  res.on('data', function take(chunk: string) {
    text += chunk;
    const end = text.indexOf('\n');
    if (end === -1 && text.length <= LINE_LIMIT) return;
    res.off('data', take).resume();
    found(end === -1 ? null : text.slice(0, end));
  });
}

function readAnswer(line: string): { proof: unknown; token: string | null } | null {
  try {
    const { proof, token } = JSON.parse(line) as Record<string, unknown>;
    return { proof, token: typeof token === 'string' ? token : null };
  } catch {
    return null;
  }
}
