// Attaches a launch to a server: one request that the server answers at once and then keeps
// open for as long as the launch lives. Both sides prove that they know the pass in the
// registry, which is never sent; any other answer comes from a stranger on the port of a
// dead server and is ignored.

import { createHash } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { authorizationOf, isProofOf, newNonce } from '../environment/process/launch-proof.ts';
import type { Registration } from './registry.ts';

export interface Lease {
  /** The agent's token; null if the server requires none. */
  readonly token: string | null;
  /** For a dashboard: what its browser signs in with; null if the server requires no tokens. */
  readonly code: string | null;
  /** Resolves when the connection has ended, from either side. */
  readonly over: Promise<void>;
  end(): void;
}

export interface AttachOptions {
  readonly identity: string;
  /** Shows the page to a person and runs no agent. */
  readonly isDashboard?: boolean;
  readonly timeoutMs: number;
  /** A token that the agent already has, to stay valid. Only its hash is sent. */
  readonly keep?: string | null;
  readonly signal?: AbortSignal | undefined;
}

const MAX_LINE = 64 * 1024;

/** Null if the server is gone. */
export function attach(
  server: Registration,
  { identity, isDashboard = false, timeoutMs, keep = null, signal }: AttachOptions,
): Promise<Lease | null> {
  if (server.url === '') return Promise.resolve(null);
  return new Promise((resolve) => {
    const nonce = newNonce();
    const body = JSON.stringify({
      identity,
      ...(isDashboard && { dashboard: true }),
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
    const timer = setTimeout(gone, timeoutMs);
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
        const answer = line === null ? null : readAnswer(line);
        if (answer === null || !isProofOf('server', server.pass, nonce, answer.proof))
          return gone();
        clearTimeout(timer);
        const { token, code } = answer;
        resolve({ token, code, over, end: () => req.destroy() });
      });
    });
    req.end(body);
  });
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** Finds the first line, or null. Discards the rest. */
function readLine(res: IncomingMessage, found: (line: string | null) => void): void {
  let text = '';
  res.setEncoding('utf8');
  res.on('error', () => found(null));
  res.on('end', () => found(null));
  res.on('data', function take(chunk: string) {
    text += chunk;
    const end = text.indexOf('\n');
    if (end === -1 && text.length <= MAX_LINE) return;
    res.off('data', take).resume();
    found(end === -1 ? null : text.slice(0, end));
  });
}

interface AttachAnswer extends Pick<Lease, 'token' | 'code'> {
  readonly proof: unknown;
}

function readAnswer(line: string): AttachAnswer | null {
  try {
    const { proof, token, code } = JSON.parse(line) as Record<string, unknown>;
    const text = (value: unknown) => (typeof value === 'string' ? value : null);
    return { proof, token: text(token), code: text(code) };
  } catch {
    return null;
  }
}
