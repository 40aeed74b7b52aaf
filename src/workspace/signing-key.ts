// The key by which this user's servers sign what a client carries from one call to the
// next. It is kept in the user's home, so that a restarted server knows its own signature;
// where it cannot be kept, one is made that lasts as long as the process.

import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const BYTES = 32;

export function signingKey(file = path.join(os.homedir(), '.deepwork', 'signing.key')): Buffer {
  return read(file) ?? make(file);
}

function read(file: string): Buffer | null {
  try {
    const key = readFileSync(file);
    return key.length === BYTES ? key : null;
  } catch {
    return null;
  }
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
