// The key by which this user's servers sign what a client carries from one call to the
// next. It is kept in the user's home, so that a restarted server knows its own signature;
// where it cannot be kept, one is made that lasts as long as the process. Something else in
// its place is left alone and told: with a key of its own, each process would refuse what
// another one signed, and nobody would know why.

import { randomBytes } from 'node:crypto';
import { linkSync, lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readSmallBytes } from '../files/read-contained.ts';

const BYTES = 32;

export function signingKey(file = path.join(os.homedir(), '.deepwork', 'signing.key')): Buffer {
  return read(file) ?? make(file);
}

/** Null if there is none. */
function read(file: string): Buffer | null {
  // Asked first: between reading and asking, another process may have put its key there.
  if (!isThere(file)) return null;
  const key = readSmallBytes(file, BYTES);
  if (key?.length !== BYTES) throw unusable(file);
  return key;
}

function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** One sentence: where the key is needed, only a message reaches the caller. */
function unusable(file: string): Error {
  return new Error(
    `${file} is not a key (a file of ${BYTES} bytes, readable by you). Ask your user to move it away; a new one is made then.`,
  );
}

/** Of several processes that make one at the same time, the first one's is everybody's. */
function make(file: string): Buffer {
  const key = randomBytes(BYTES);
  const temporary = `${file}.${randomBytes(4).toString('hex')}`;
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, key, { mode: 0o600, flag: 'wx' });
    linkSync(temporary, file);
    return key;
  } catch {
    return read(file) ?? key;
  } finally {
    remove(temporary);
  }
}

function remove(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // Where nothing could be written, nothing is left.
  }
}
