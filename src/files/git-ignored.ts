// Keeps deepwork's files in a project out of `git status`: a `.gitignore` beside them, which
// also ignores itself. It must be the first file, so that a killed process leaves nothing
// visible either. One that a person wrote is kept. An empty one is filled: its writer was
// killed between creating and filling it.

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';

const MAKE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
/** Never follows a link, never waits for the reader of a pipe. */
const FILL =
  constants.O_WRONLY |
  constants.O_APPEND |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

/**
 * Makes the folder, which must have been checked, and has git ignore these patterns in it. A
 * failure is ignored: the next write will report its cause.
 */
export function ignoreInGit(folder: string, patterns: readonly string[]): void {
  const file = path.join(folder, '.gitignore');
  try {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found !== undefined && !(found.isFile() && found.size === 0)) return;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    fill(openSync(file, found === undefined ? MAKE : FILL, 0o600), `${patterns.join('\n')}\n`);
  } catch {
    // Another process was first, or the folder is not writable.
  }
}

function fill(handle: number, text: string): void {
  try {
    if (fstatSync(handle).isFile()) writeSync(handle, text);
  } finally {
    closeSync(handle);
  }
}
