// Removes temporary files of killed processes from a folder of ours: only regular files with
// a name given by `replace-file.ts`. Other files that end in `.tmp` are not ours.

import { lstatSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { TEMPORARY_NAME } from './replace-file.ts';

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
