// The launches attached to this server. Each holds one connection open while its command runs:
// when the connection ends, however the launch ended, its token is revoked and the launch is
// over. Nothing has to be cleaned up after a launch that was killed. A launch whose server
// died brings the hash of its agent's token to the next server, so that the token stays valid.
// Only a caller that knows the pass in the user's registry can launch, and the server proves
// that it knows the pass, too.

import type { ServerResponse } from 'node:http';
import { jsonObjectIn } from '../../core/is-record.ts';
import { readCaller } from '../../core/team/caller.ts';
import { proofOf } from '../../environment/process/launch-proof.ts';
import type { HttpCaller } from './identity.ts';
import { type RequestRefusal, refuseRequest } from './reply.ts';
import type { SignIn } from './sign-in.ts';
import type { Bearer, Tokens } from './tokens.ts';

export interface LaunchesOptions {
  /** Known only to this server and its owner's launches. */
  readonly pass: string;
  readonly tokens: Tokens;
  readonly signIn: SignIn;
  readonly limit: number;
  /** Called with their number whenever one begins or ends. */
  readonly changed: (open: number) => void;
  /** Called when this bearer's token is no longer valid. */
  readonly over: (bearer: Bearer) => void;
}

export interface Launches {
  attach(httpCaller: HttpCaller, body: Buffer, res: ServerResponse): void;
  /** Proves that this is the registered server, without a launch: for `deepwork doctor`. */
  prove(httpCaller: HttpCaller, res: ServerResponse): void;
  closeAll(): void;
}

export function openLaunches(options: LaunchesOptions): Launches {
  const { pass, tokens, signIn, limit, changed, over } = options;
  const open = new Set<ServerResponse>();
  return {
    attach({ bearer }, body, res) {
      if (bearer.kind !== 'launch') {
        return refuseRequest(res, ONLY_LAUNCH);
      }
      if (open.size >= limit) {
        return refuseRequest(res, { status: 503, message: 'Too many launches. End some first.' });
      }
      const { identity, tokenHash, isDashboard } = readBody(body);
      const caller = readCaller(identity);
      if (typeof caller === 'string') {
        return refuseRequest(res, { status: 400, message: `identity cannot be used: ${caller}` });
      }
      // A dashboard is for a person, who gets a code and no agent's token.
      const issued = tokens.on && !isDashboard ? tokens.issue(caller, { hash: tokenHash }) : null;
      const code = tokens.on && isDashboard ? signIn.issueCode() : null;
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
      const token = issued?.token ?? null;
      res.write(`${JSON.stringify({ proof, token, ...(isDashboard && { code }) })}\n`);
    },
    prove({ bearer }, res) {
      if (bearer.kind !== 'launch') return refuseRequest(res, ONLY_LAUNCH);
      res.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
      res.end(JSON.stringify({ proof: proofOf('server', pass, bearer.nonce) }));
    },
    closeAll() {
      for (const res of open) res.end();
    },
  };
}

const ONLY_LAUNCH: RequestRefusal = {
  status: 403,
  message: 'Only deepwork launch, run by the user of this server, can launch agents.',
};

interface LaunchBody {
  readonly identity: string | null;
  /** Of a token that the agent already has. */
  readonly tokenHash: Buffer | null;
  /** `deepwork dashboard`, which opens the page for a person. */
  readonly isDashboard: boolean;
}

const HASH = /^[\w-]{43}$/;

function readBody(body: Buffer): LaunchBody {
  const { identity, token_hash, dashboard } = jsonObjectIn(body.toString('utf8')) ?? {};
  const isHash = typeof token_hash === 'string' && HASH.test(token_hash);
  return {
    identity: typeof identity === 'string' ? identity : null,
    tokenHash: isHash ? Buffer.from(token_hash, 'base64url') : null,
    isDashboard: dashboard === true,
  };
}
