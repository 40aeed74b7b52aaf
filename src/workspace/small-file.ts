// Reads a file of ours that anybody could have replaced: never waits on a FIFO, never
// follows a link, never takes more than it should.

import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** The text, or null if there is no regular file of at most `limit` bytes. */
export function readSmallFile(file: string, limit: number): string | null {
  return readSmallBytes(file, limit)?.toString('utf8') ?? null;
}

/** Likewise, the bytes. */
export function readSmallBytes(file: string, limit: number): Buffer | null {
  let handle: number;
  try {
    handle = openSync(file, FLAGS);
  } catch {
    return null;
  }
  try {
    const info = fstatSync(handle);
    return info.isFile() && info.size <= limit ? readFileSync(handle) : null;
  } catch {
    return null;
  } finally {
    closeSync(handle);
  }
}
