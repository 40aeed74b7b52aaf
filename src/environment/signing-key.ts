// The key of this user, in the user's home, and the keys that are made from it: one for
// each purpose, so that what was signed for one proves nothing for another. Forms that a
// client carries from one call to the next are signed with one, so that a restarted server
// knows its own signature; the journal with another, so that a line proves who wrote it; the
// codes of reviews with a third, so that an agent cannot make one up.
//
// Where the key cannot be kept, one is made that lasts as long as the process. That is
// enough for forms, not for a journal, which the next process could not believe. Something
// else in the key's place is left alone and reported: with a key of its own, each process
// would refuse what another one signed, and no one would know why.

import { createHmac, randomBytes } from 'node:crypto';
import { linkSync, lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Refused, refuse } from '../core/refusal.ts';
import { readSmallBytes } from '../files/read-contained.ts';

const BYTES = 32;

interface Made {
  readonly key: Buffer;
  /** Why the next process will not find it. */
  readonly lost: unknown;
}

/** For what a client carries from call to call. */
export function formsKey(file = fileInHome()): Buffer {
  return derive(read(file) ?? make(file).key, 'forms');
}

/** For the journal. Refused where no key can be kept. */
export function journalKey(file = fileInHome()): Buffer {
  return derive(keptIn(file), 'journal');
}

/** For the codes of reviews, which outlast a process as the journal does. */
export function reviewsKey(file = fileInHome()): Buffer {
  return derive(keptIn(file), 'reviews');
}

function keptIn(file: string): Buffer {
  const kept = read(file);
  if (kept !== null) return kept;
  const { key, lost } = make(file);
  if (lost !== null) throw cannotKeep(file, lost);
  return key;
}

function fileInHome(): string {
  return path.join(os.homedir(), '.deepwork', 'signing.key');
}

function derive(key: Buffer, purpose: string): Buffer {
  return createHmac('sha256', key).update(`deepwork ${purpose}`).digest();
}

function cannotKeep(file: string, reason: unknown): Refused {
  return new Refused(
    refuse(
      'no_key',
      `Cannot keep the key that the journal is signed with, ${file}: ${(reason as Error).message}`,
      'ask your user to make that folder writable, or to start the server with HOME set to a folder that is; then make the same call again.',
    ),
  );
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
function unusable(file: string): Refused {
  return new Refused(
    refuse(
      'no_key',
      `${file} is not a key (a file of ${BYTES} bytes, readable by you). Ask your user to put the right one back, or to move it away: a new one is made then, and \`deepwork repair --journal\` takes over what was signed with the old one.`,
    ),
  );
}

/** Of several processes that make one at the same time, the first one's is everybody's. */
function make(file: string): Made {
  const key = randomBytes(BYTES);
  const temporary = `${file}.${randomBytes(4).toString('hex')}`;
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, key, { mode: 0o600, flag: 'wx' });
    linkSync(temporary, file);
    return { key, lost: null };
  } catch (error) {
    const kept = read(file);
    return kept === null ? { key, lost: error } : { key: kept, lost: null };
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
