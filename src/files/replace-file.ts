// Replaces a file atomically by a temporary file and a rename: a reader sees the old content or
// the new, never a part. A link in the file's place is itself replaced, never written through. The
// new file is readable only by this user, whatever was there before. Temporary files of killed
// processes are swept: only regular files with a name given here; others that end in `.tmp` are not
// ours.

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

type Piece = string | Uint8Array;

/** Random once per process, then counted: no one else writes these files. */
const OWN_NAME = randomBytes(6).toString('hex');
let made = 0;

/** The names of temporary files, of any process. */
const TEMPORARY_NAME = /^\.[0-9a-f]{12}-[0-9]+\.tmp$/;

/**
 * The folder must exist, and must have been checked: links are not checked here. Pieces of a text
 * are written one after the other. Synchronous, because nothing here waits for the disk.
 * `mayReplace` is asked right before the rename; returns false if it refuses.
 */
export function replaceFile(
  file: string,
  text: Piece | readonly Piece[],
  mayReplace: () => boolean = () => true,
): boolean {
  made += 1;
  const temporary = path.join(path.dirname(file), `.${OWN_NAME}-${made}.tmp`);
  const handle = openSync(temporary, 'wx', 0o600);
  let isReplaced = false;
  try {
    for (const piece of [text].flat()) writeFileSync(handle, piece);
    if (mayReplace()) {
      renameSync(temporary, file);
      isReplaced = true;
    }
    return isReplaced;
  } finally {
    closeSync(handle);
    if (!isReplaced) rmSync(temporary, { force: true });
  }
}

const LEFT_BEHIND_MS = 60_000;

/** The folder must have been checked: links are not checked here. */
export function sweepTemporaryFiles(folder: string): void {
  try {
    for (const name of readdirSync(folder)) {
      if (TEMPORARY_NAME.test(name)) sweep(path.join(folder, name));
    }
  } catch {
    // No folder yet, or one that cannot be listed.
  }
}

function sweep(file: string): void {
  try {
    const stats = lstatSync(file);
    if (stats.isFile() && Date.now() - stats.mtimeMs > LEFT_BEHIND_MS) rmSync(file);
  } catch {
    // Another process has removed it.
  }
}
