// Which project a command at a terminal works in when no --path is given: as with git, the
// nearest one from the current folder upwards. What others may have put above is not used:
// `.deepwork` has to be a real folder of the same user, and nothing beyond the root of the
// git work tree is looked at. The home directory's own `.deepwork` holds keys and trust, so
// the search ends below it.

import { lstatSync, type Stats } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { realPathOf } from '../files/real-path.ts';

/** The current folder where no project is found. */
export function findProject(from: string = process.cwd()): string {
  return projectAbove(from) ?? from;
}

/** The nearest project above a folder that has no `.deepwork` itself, or null. */
export function projectAbove(from: string): string | null {
  // Whatever is there, it is said of this folder if it cannot be used.
  if (look(path.join(from, '.deepwork')) !== null) return null;
  const home = realPathOf(homedir());
  let folder = from;
  for (;;) {
    if (folder === home || look(path.join(folder, '.git')) !== null) return null;
    const above = path.dirname(folder);
    if (above === folder || above === home) return null;
    folder = above;
    if (isOwnFolder(look(path.join(folder, '.deepwork')))) return folder;
  }
}

function isOwnFolder(entry: Stats | null): boolean {
  if (entry === null || !entry.isDirectory()) return false;
  // Windows has no owners of this kind.
  return process.getuid === undefined || entry.uid === process.getuid();
}

function look(file: string): Stats | null {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}
