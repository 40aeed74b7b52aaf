// Proves that a line was written by this user: HMAC-SHA256 under a key that never leaves the
// user's home. A stream's key is derived from the user's key and the stream's name, so a file
// that is valid under one name proves nothing under another. (HMAC, because a plain SHA-256 over key
// and text could be extended by someone who does not know the key.)

import { createHmac } from 'node:crypto';

export interface Seal {
  /** The hash of a text, as hex, under the stream's key. */
  sign(bytes: Buffer, from: number, to: number): string;
}

/** The hash that a text should have; `written` returns the one that it has. */
export type ExpectedHash = (
  bytes: Buffer,
  from: number,
  to: number,
  written: () => string,
) => string;

export function sealOf(userKey: Buffer, stream: string): Seal {
  const key = createHmac('sha256', userKey).update(stream).digest();
  return {
    sign: (bytes, from, to) =>
      createHmac('sha256', key).update(bytes.subarray(from, to)).digest('hex'),
  };
}

/** For files whose key is not known: accepts every well-formed hash. */
export const UNPROVED: ExpectedHash = (_bytes, _from, _to, written) => {
  const hash = written();
  return /^[0-9a-f]{64}$/.test(hash) ? hash : '';
};
