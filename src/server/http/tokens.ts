// Who holds which token. With the owner's token everything is allowed, and the identity header
// names the caller; an agent's token belongs to one launch and is its identity until the
// launch is over. Tokens are kept as hashes and compared in constant time.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Caller } from '../../core/team/caller.ts';

/**
 * `open`: this server requires no tokens, so no one is identified by one. `launch`: no token,
 * but proof of the pass in the user's registry. `person`: a browser that has signed in.
 */
export type Bearer =
  | { readonly kind: 'open' }
  | { readonly kind: 'owner' }
  | { readonly kind: 'launch'; readonly nonce: string }
  /** `timeLeft`: milliseconds until the sign-in ends. */
  | { readonly kind: 'person'; readonly timeLeft: number }
  /** `stack`: whose its work is, if not the agent's. */
  | { readonly kind: 'agent'; readonly caller: Caller; readonly stack: string | null };

interface IssuedToken {
  /** Null if the agent already has it. */
  readonly token: string | null;
  /** Always the same object, so that holders of tokens can be compared by identity. */
  readonly bearer: Bearer;
  /** Makes the token invalid. */
  revoke(): void;
}

export interface Tokens {
  /** False if none are required. */
  readonly on: boolean;
  /** With a hash, the token with that hash is accepted, and no new one is made. */
  issue(
    caller: Caller,
    options?: { readonly hash?: Buffer | null; readonly stack?: string | null },
  ): IssuedToken;
  /** The holder of this Authorization header's token; null if unknown. */
  bearerOf(authorization: string | undefined): Bearer | null;
}

const OPEN: Bearer = { kind: 'open' };
const OWNER: Bearer = { kind: 'owner' };

const BEARER = /^bearer ([\x21-\x7e]{1,512})$/i;

export function openTokens(on: boolean, owners: readonly string[]): Tokens {
  const ownerHashes = owners.map(hashOf);
  const agents = new Set<{ readonly hash: Buffer; readonly bearer: Bearer }>();
  return {
    on,
    issue(caller, { hash = null, stack = null } = {}) {
      const token = hash === null ? newToken() : null;
      const bearer: Bearer = { kind: 'agent', caller, stack };
      const agent = { hash: hash ?? hashOf(token as string), bearer };
      agents.add(agent);
      return { token, bearer, revoke: () => void agents.delete(agent) };
    },
    bearerOf(authorization) {
      if (!on) return OPEN;
      const [, token] = BEARER.exec(authorization ?? '') ?? [];
      if (token === undefined) return null;
      const hash = hashOf(token);
      // All are compared, so that the time reveals nothing.
      let found: Bearer | null = null;
      for (const { hash: known, bearer } of agents) {
        if (timingSafeEqual(hash, known)) found = bearer;
      }
      for (const known of ownerHashes) {
        if (timingSafeEqual(hash, known)) found = OWNER;
      }
      return found;
    },
  };
}

function newToken(): string {
  return randomBytes(32).toString('base64url');
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
