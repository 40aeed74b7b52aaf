// The user's key, in the home directory, and the keys derived from it: one for each purpose,
// so that a signature for one proves nothing for another. One signs forms that a client
// carries from call to call, so that a restarted server recognizes its signature; one signs
// the journal, so that a line proves who wrote it; one signs review codes, so that an agent
// cannot invent one.
//
// If the key cannot be stored, a temporary one lasts as long as the process. That is enough
// for forms, but not for a journal, which the next process could not verify. Anything else in
// the key's place is left alone and reported: if each process used a key of its own, it would
// refuse what others signed, without a visible reason.

import { createHmac, randomBytes } from 'node:crypto';
import { linkSync, lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Refused, refuse } from '../core/refusal.ts';
import { readSmallBytes } from '../files/read-contained.ts';

const BYTES = 32;

interface Made {
  readonly key: Buffer;
  /** Why the key could not be stored. */
  readonly lost: unknown;
}

/** For forms that a client carries from call to call. */
export function formsKey(file = fileInHome()): Buffer {
  return derive(read(file) ?? make(file).key, 'forms');
}

/** For the journal. Refused if no key can be stored. */
export function journalKey(file = fileInHome()): Buffer {
  return derive(keptIn(file), 'journal');
}

/** The same, without making one: null if there is none. */
export function knownJournalKey(file = fileInHome()): Buffer | null {
  const kept = read(file);
  return kept === null ? null : derive(kept, 'journal');
}

/** For review codes, which outlive a process as the journal does. */
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
  // Checked first: another process may create the key between reading and checking.
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

/** In one sentence, because some callers show only the message. */
function unusable(file: string): Refused {
  return new Refused(
    refuse(
      'no_key',
      `${file} is not a key (a file of ${BYTES} bytes, readable by you). Ask your user to put the right one back, or to move it away: a new one is made then, and \`deepwork repair --journal\` takes over what was signed with the old one.`,
    ),
  );
}

/** If several processes create a key at once, all use the first one. */
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
    // It was never written.
  }
}
