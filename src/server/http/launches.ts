// The launches that this server works for. Each holds one connection open for as long as
// its command runs: when the connection ends, however the launch ended, its token is void
// and the launch is over. Nothing has to be cleaned up after a launch that was killed.
// A launch whose server died comes to the next one with the hash of the token that its agent
// has, so that the token stays valid.
// Only who knows the pass in the user's registry can launch, and hears that we know it too.

import type { ServerResponse } from 'node:http';
import { readCaller } from '../../core/team/caller.ts';
import { proofOf } from '../../environment/launch-proof.ts';
import type { Visitor } from './identity.ts';
import { turnAway } from './reply.ts';
import type { Bearer, Tokens } from './tokens.ts';

export interface LaunchesOptions {
  /** What only this server and the launches of its owner know. */
  readonly pass: string;
  readonly tokens: Tokens;
  readonly limit: number;
  /** Told how many there are, whenever one begins or ends. */
  readonly changed: (open: number) => void;
  /** Told when nobody comes with this bearer's token any more. */
  readonly over: (bearer: Bearer) => void;
}

export interface Launches {
  attach(visitor: Visitor, body: Buffer, res: ServerResponse): void;
  closeAll(): void;
}

export function openLaunches(options: LaunchesOptions): Launches {
  const { pass, tokens, limit, changed, over } = options;
  const open = new Set<ServerResponse>();
  return {
    attach({ bearer }, body, res) {
      if (bearer.kind !== 'launch') {
        return turnAway(res, {
          status: 403,
          message: 'Only deepwork launch, run by the user of this server, can launch agents.',
        });
      }
      if (open.size >= limit) {
        return turnAway(res, { status: 503, message: 'Too many launches. End some first.' });
      }
      const { identity, tokenHash } = readBody(body);
      const caller = readCaller(identity);
      if (typeof caller === 'string') {
        return turnAway(res, { status: 400, message: `identity cannot be used: ${caller}` });
      }
      const issued = tokens.on ? tokens.issue(caller, tokenHash) : null;
      open.add(res);
      changed(open.size);
      res.once('close', () => {
        issued?.revoke();
        if (issued !== null) over(issued.bearer);
        open.delete(res);
        changed(open.size);
      });
      res.on('error', () => {});
      res.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
      const proof = proofOf('server', pass, bearer.nonce);
      res.write(`${JSON.stringify({ proof, token: issued?.token ?? null })}\n`);
    },
    closeAll() {
      for (const res of open) res.end();
    },
  };
}

interface LaunchBody {
  readonly identity: string | null;
  /** Of the token that the agent has already. */
  readonly tokenHash: Buffer | null;
}

const HASH = /^[\w-]{43}$/;

function readBody(body: Buffer): LaunchBody {
  try {
    const { identity, token_hash } = JSON.parse(body.toString('utf8')) as Record<string, unknown>;
    const isHash = typeof token_hash === 'string' && HASH.test(token_hash);
    return {
      identity: typeof identity === 'string' ? identity : null,
      tokenHash: isHash ? Buffer.from(token_hash, 'base64url') : null,
    };
  } catch {
    return { identity: null, tokenHash: null };
  }
}
