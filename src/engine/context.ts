// What a caller may tell as context, for jobs and guides alike: an object of bounded size
// and depth, since it is kept with a session and walked by conditions.

import { depthOf } from '../core/json-depth.ts';

const MAX_BYTES = 64 * 1024;
const DEEPEST = 64;

/** What is wrong with it, in words that follow its name; null if nothing is. */
export function faultOfContext(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return 'must be an object';
  }
  if (depthOf(value, DEEPEST) > DEEPEST) return 'is nested deeper than 64';
  return Buffer.byteLength(JSON.stringify(value)) > MAX_BYTES ? 'is larger than 64 KiB' : null;
}
