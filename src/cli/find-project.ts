// Finds the project for a command without --path: like git, the nearest one from the current
// folder upwards. So that no other user can plant one, `.deepwork` has to be a real folder of the
// same user, and the search stops at the root of the git work tree. It also stops below the home
// directory, whose own `.deepwork` holds keys and trust.

import type { Stats } from 'node:fs';
import path from 'node:path';
import { homeOf } from '../environment/home.ts';
import { entryAt } from '../files/entry.ts';
import { realPathOf } from '../files/real-path.ts';

/** Falls back to the folder itself. */
export function findProject(env: NodeJS.ProcessEnv, from: string): string {
  return projectAbove(env, from) ?? from;
}

/** The nearest project above a folder that has no `.deepwork` itself, or null. */
export function projectAbove(env: NodeJS.ProcessEnv, from: string): string | null {
  // A `.deepwork` of any kind makes this folder the project, so its problems are reported.
  if (entryAt(path.join(from, '.deepwork')) !== null) return null;
  const home = realPathOf(homeOf(env));
  let folder = from;
  for (;;) {
    if (folder === home || entryAt(path.join(folder, '.git')) !== null) return null;
    const above = path.dirname(folder);
    if (above === folder || above === home) return null;
    folder = above;
    if (isOwnFolder(entryAt(path.join(folder, '.deepwork')))) return folder;
  }
}

function isOwnFolder(entry: Stats | null): boolean {
  if (entry === null || !entry.isDirectory()) return false;
  // Windows has no numeric owners.
  return process.getuid === undefined || entry.uid === process.getuid();
}
