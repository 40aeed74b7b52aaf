// Who holds which token. The owner's opens everything, and with it the identity header
// decides who speaks; an agent's token belongs to one launch and is its identity, until
// the launch is over. Tokens are kept as hashes and compared in constant time.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Caller } from '../../core/team/caller.ts';

/**
 * `open`: this server asks for no tokens, so nobody is known by one. `launch`: no token, but
 * proof of the pass in the user's registry.
 */
export type Bearer =
  | { readonly kind: 'open' }
  | { readonly kind: 'owner' }
  | { readonly kind: 'launch'; readonly nonce: string }
  | { readonly kind: 'agent'; readonly caller: Caller };

interface IssuedToken {
  /** Null: the agent has it already. */
  readonly token: string | null;
  /** Who comes with it: always this same object, so that one token's holder is told from another's. */
  readonly bearer: Bearer;
  /** From now on nobody comes in with it. */
  revoke(): void;
}

export interface Tokens {
  /** False: none are asked for. */
  readonly on: boolean;
  /** With a hash, the token of that hash is the agent's, and no new one is made. */
  issue(caller: Caller, hash?: Buffer | null): IssuedToken;
  /** Who comes with this Authorization header; null: nobody known. */
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
    issue(caller, hash = null) {
      const token = hash === null ? newToken() : null;
      const bearer: Bearer = { kind: 'agent', caller };
      const agent = { hash: hash ?? hashOf(token as string), bearer };
      agents.add(agent);
      return { token, bearer, revoke: () => void agents.delete(agent) };
    },
    bearerOf(authorization) {
      if (!on) return OPEN;
      const [, token] = BEARER.exec(authorization ?? '') ?? [];
      if (token === undefined) return null;
      const hash = hashOf(token);
      // All are looked at, so that the time says nothing about which was near.
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
