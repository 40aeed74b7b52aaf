// Which files an agent's file tools may not write: deepwork's own records. An agent that edits the
// journal, its views or the record of what a person trusted would judge its own work. Shell commands
// are not checked (docs/security.md says why); this stops the edit that an agent makes because it
// seems the shortest way.

import { readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { trimBlanks } from './trim-blanks.ts';

export interface GuardedPath {
  /** A folder, or one file. */
  readonly path: string;
  /** What it holds, for the message. */
  readonly what: string;
  /** What to do instead. */
  readonly instead: string;
}

const CALL_TOOLS = 'Hand in work with finished_step; deepwork records it by itself.';

const OWN = '.deepwork';

/**
 * The paths that a client may mean by a name: as it is, or without blanks around it, and with `~` for
 * the home. Clients differ in this, so each of them is guarded.
 */
export function possiblePaths(file: string, home: string): readonly string[] {
  const trimmed = trimBlanks(file);
  const isInHome = trimmed === '~' || /^~[\\/]/.test(trimmed);
  const all = [file, trimmed, ...(isInHome ? [path.join(home, trimmed.slice(1))] : [])];
  return [...new Set(all)];
}

/** The records of this project, of any other project that is written to, and of the user. */
export function guardedPaths(
  project: string,
  home: string,
  writes: readonly string[],
  cwd: string,
): readonly GuardedPath[] {
  const others = writes.flatMap((file) => ownFoldersOf(realPlaceOf(path.resolve(cwd, file))));
  const folders = [path.join(project, OWN), path.join(home, OWN), ...others];
  return [...new Set(folders)].flatMap(recordsIn);
}

/** Those of a project and of a user: a client may have been started with another home. */
function recordsIn(own: string): readonly GuardedPath[] {
  return [
    { path: path.join(own, 'journal'), what: "deepwork's journal", instead: CALL_TOOLS },
    { path: path.join(own, 'tmp'), what: "deepwork's record of runs", instead: CALL_TOOLS },
    { path: path.join(own, 'archive'), what: "deepwork's archive", instead: CALL_TOOLS },
    {
      path: path.join(own, 'servers'),
      what: 'the list of running servers',
      instead: 'Deepwork keeps it by itself.',
    },
    {
      path: path.join(own, 'trust.d'),
      what: 'the record of what a person trusts',
      instead: 'Ask your user to run `deepwork trust`.',
    },
    {
      path: path.join(own, 'signing.key'),
      what: "the user's keys",
      instead: 'Deepwork keeps it by itself.',
    },
  ];
}

/** In characters, all names together: some six hundred files. */
const MAX_NAMED = 32 * 1024;

/** Why a call cannot be checked, or null if it can. */
export function refusedCall(writes: readonly string[]): string | null {
  const named = writes.reduce((sum, file) => sum + file.length, 0);
  return named > MAX_NAMED
    ? `deepwork: this call names ${writes.length} files to write, which are too many to check at once. Write them in several calls.`
    : null;
}

/** Why a write is refused, or null if it is not. */
export function refusedWrite(
  writes: readonly string[],
  cwd: string,
  guarded: readonly GuardedPath[],
): string | null {
  const places = new Map(guarded.map((each) => [realPlaceOf(each.path), each]));
  for (const file of writes) {
    let place = realPlaceOf(path.resolve(cwd, file));
    for (;;) {
      const found = places.get(place);
      if (found !== undefined) {
        return `deepwork: ${file} belongs to ${found.what} and must not be edited by agents. ${found.instead}`;
      }
      const above = path.dirname(place);
      if (above === place) break;
      place = above;
    }
  }
  return null;
}

/** Every `.deepwork` that a path leads through. */
function ownFoldersOf(file: string): readonly string[] {
  const parts = file.split(path.sep);
  return parts.flatMap((part, at) => (part === OWN ? [parts.slice(0, at + 1).join(path.sep)] : []));
}

/** As many as Linux follows. */
const MAX_LINKS = 40;
/** No system opens a longer one. */
const MAX_PATH = 4096;

/** Where a write to this path would really end up, even if the file does not exist yet. */
function realPlaceOf(file: string, links = MAX_LINKS): string {
  if (file.length > MAX_PATH) return file;
  try {
    return realpathSync.native(file);
  } catch {
    const above = path.dirname(file);
    if (above === file) return file;
    const place = path.join(realPlaceOf(above, links), path.basename(file));
    const target = links > 0 ? targetOf(place) : null;
    return target === null ? place : realPlaceOf(target, links - 1);
  }
}

/** The target of a link, even if that does not exist; null if it is not a link. */
function targetOf(link: string): string | null {
  try {
    return path.resolve(path.dirname(link), readlinkSync(link));
  } catch {
    return null;
  }
}
