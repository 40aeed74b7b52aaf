import { expect, test } from 'vitest';
import { authorizationOf, isProofOf, newNonce, nonceOfLaunch, proofOf } from './launch-proof.ts';

test('a proof by the other side, for another nonce or with another pass is invalid', () => {
  const nonce = newNonce();
  const proof = proofOf('launch', 'pass', nonce);
  expect(isProofOf('launch', 'pass', nonce, proof)).toBe(true);
  expect(isProofOf('server', 'pass', nonce, proof)).toBe(false);
  expect(isProofOf('launch', 'pass', newNonce(), proof)).toBe(false);
  expect(isProofOf('launch', 'other', nonce, proof)).toBe(false);
  expect(nonceOfLaunch('pass', authorizationOf('pass', nonce))).toBe(nonce);
  expect(nonceOfLaunch('other', authorizationOf('pass', nonce))).toBeNull();
});
