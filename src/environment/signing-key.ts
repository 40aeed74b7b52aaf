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
import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Refused, refusedWith } from '../core/refusal.ts';
import { entryAt } from '../files/entry.ts';
import { readSmallBytes } from '../files/read-contained.ts';
import { syncFolder } from '../files/sync-folder.ts';
import { homeOf } from './home.ts';

const KEY_BYTES = 32;

interface NewKey {
  readonly key: Buffer;
  /** Why it could not be stored; null if it was. */
  readonly problem: unknown;
}

/** Where the user of this environment has the key. */
export function keyFile(env: NodeJS.ProcessEnv = process.env): string {
  return path.join(homeOf(env), '.deepwork', 'signing.key');
}

/** For forms that a client carries from call to call. */
export function formsKey(file = keyFile()): Buffer {
  return derive(read(file) ?? create(file).key, 'forms');
}

/** For the journal. Refused if no key can be stored. */
export function journalKey(file = keyFile()): Buffer {
  return derive(readOrCreate(file), 'journal');
}

/** Does not create a key: null if there is none. */
export function knownJournalKey(file = keyFile()): Buffer | null {
  const key = read(file);
  return key === null ? null : derive(key, 'journal');
}

/** For review codes, which outlive a process as the journal does. */
export function reviewsKey(file = keyFile()): Buffer {
  return derive(readOrCreate(file), 'reviews');
}

function readOrCreate(file: string): Buffer {
  const known = read(file);
  if (known !== null) return known;
  const { key, problem } = create(file);
  if (problem !== null) throw cannotStore(file, problem);
  return key;
}

function derive(key: Buffer, purpose: string): Buffer {
  return createHmac('sha256', key).update(`deepwork ${purpose}`).digest();
}

function cannotStore(file: string, problem: unknown): Refused {
  return refusedWith(
    'no_key',
    `Cannot store the key that signs the journal, ${file}: ${(problem as Error).message}`,
    'ask your user to make that folder writable, or to start the server with HOME set to a folder that is; then make the same call again.',
  );
}

/** Null if there is none. */
function read(file: string): Buffer | null {
  // Checked first: another process may create the key between reading and checking.
  if (entryAt(file) === null) return null;
  const key = readSmallBytes(file, KEY_BYTES);
  if (key?.length !== KEY_BYTES) throw unusable(file);
  return key;
}

/** In one sentence, because some callers show only the message. */
function unusable(file: string): Refused {
  return refusedWith(
    'no_key',
    `${file} is not a key (a file of ${KEY_BYTES} bytes, readable by you). Ask your user to restore the right one, or to move it away: then a new one is created, and \`deepwork repair --journal\` takes over what was signed with the old one.`,
  );
}

/** If several processes create a key at once, all use the first one. */
function create(file: string): NewKey {
  const key = randomBytes(KEY_BYTES);
  const temporary = `${file}.${randomBytes(4).toString('hex')}`;
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    // What is signed with it rests on it: no signature may be on the disk before the key.
    writeFileSync(temporary, key, { mode: 0o600, flag: 'wx', flush: true });
    linkSync(temporary, file);
    syncFolder(path.dirname(file));
    return { key, problem: null };
  } catch (error) {
    const first = read(file);
    return first === null ? { key, problem: error } : { key: first, problem: null };
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
