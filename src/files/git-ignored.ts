// Keeps what deepwork writes into a project out of `git status`: a `.gitignore` beside it,
// which ignores itself, too. It must be there before anything else is, so that a process
// that is killed leaves nothing to be seen either. One that a person wrote is left alone.
// An empty one is filled: its writer was killed between making and filling it.

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
/** Never through a link, never waiting for whoever reads a pipe. */
const FILL =
  constants.O_WRONLY |
  constants.O_APPEND |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

/**
 * Makes the folder, which must have been checked, and has git ignore these patterns in it.
 * Work does not depend on it: where it cannot be done, what is written next says why.
 */
export function ignoreInGit(folder: string, patterns: readonly string[]): void {
  const file = path.join(folder, '.gitignore');
  try {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found !== undefined && !(found.isFile() && found.size === 0)) return;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    fill(openSync(file, found === undefined ? MAKE : FILL, 0o600), `${patterns.join('\n')}\n`);
  } catch {
    // Another process was first, or nothing can be written here.
  }
}

function fill(handle: number, text: string): void {
  try {
    if (fstatSync(handle).isFile()) writeSync(handle, text);
  } finally {
    closeSync(handle);
  }
}
