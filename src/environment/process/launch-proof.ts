// A launch and its server prove to each other that they know the pass in their user's
// registry, without sending it: each signs a nonce chosen by the launch. A stranger on the
// port of a dead server learns nothing and can prove nothing.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Who signs, so that one side's proof cannot be replayed as the other's. */
type Side = 'launch' | 'server';

const AUTHORIZATION = /^launch ([\w-]{43}) ([\w-]{43})$/i;

export function newNonce(): string {
  return randomBytes(32).toString('base64url');
}

export function proofOf(side: Side, pass: string, nonce: string): string {
  return createHmac('sha256', pass).update(`deepwork ${side} ${nonce}`).digest('base64url');
}

export function isProofOf(side: Side, pass: string, nonce: string, shown: unknown): boolean {
  const proof = Buffer.from(proofOf(side, pass, nonce));
  const other = Buffer.from(typeof shown === 'string' ? shown : '');
  return other.length === proof.length && timingSafeEqual(other, proof);
}

/** The Authorization header of a launch. */
export function authorizationOf(pass: string, nonce: string): string {
  return `Launch ${nonce} ${proofOf('launch', pass, nonce)}`;
}

/** The nonce of a launch that knows the pass; null for anyone else. */
export function nonceOfLaunch(pass: string, authorization: string | undefined): string | null {
  const [, nonce = '', proof] = AUTHORIZATION.exec(authorization ?? '') ?? [];
  return isProofOf('launch', pass, nonce, proof) ? nonce : null;
}
