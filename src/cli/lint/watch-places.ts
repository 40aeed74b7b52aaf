// Calls back shortly after something changed in the given files and folders. Only folders are
// watched: a watch on a file is a watch on its inode, and misses every edit after the file was
// replaced by a rename, as `sed -i`, git and many editors do. (Node's own recursive watch on Linux
// watches files.) The folder around each place is watched for its name, so a place may be created
// or replaced later.

import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

const DEBOUNCE_MS = 100;
/** inotify watches are a per-user quota shared with editors and builds. */
const MAX_FOLDERS = 2000;
/** Many files, none of which is linted. */
const EXCLUDED = new Set(['.git', 'node_modules']);
const EXCLUDED_OWN = new Set(['archive', 'journal', 'tmp', 'worktrees']);

/** The names that matter in a folder; null: all of them. */
type Names = Set<string> | null;

interface Watched {
  readonly watcher: FSWatcher;
  readonly identity: string;
}

/** Returns a function that stops it. */
export function watchPlaces(places: readonly string[], changed: () => void): () => void {
  const watched = new Map<string, Watched>();
  let wanted = new Map<string, Names>();
  let waiting: NodeJS.Timeout | undefined;

  function detach(folder: string): void {
    watched.get(folder)?.watcher.close();
    watched.delete(folder);
  }

  function attach(folder: string): void {
    try {
      const identity = identityOf(folder);
      if (identity === null || watched.get(folder)?.identity === identity) return;
      detach(folder);
      const watcher = watch(folder, { persistent: false }, (event, name) =>
        notice(folder, event, name),
      );
      watcher.on('error', () => detach(folder));
      watched.set(folder, { watcher, identity });
    } catch {
      // No watch is left, or the folder has just been removed: the next change tries again.
    }
  }

  function notice(folder: string, event: string, name: string | null): void {
    if (name !== null && !matters(folder, name)) return;
    // A folder that is removed and created again may have the same inode, but the watch is gone.
    if (name !== null && event === 'rename') detach(join(folder, name));
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      // First, so that a change is either reported or already there when the files are read.
      cover();
      changed();
    }, DEBOUNCE_MS);
  }

  function matters(folder: string, name: string): boolean {
    const names = wanted.get(folder);
    // A folder's own name is reported when it is removed itself.
    return names ? names.has(name) || name === basename(folder) : !isExcluded(folder, name);
  }

  function cover(): void {
    wanted = new Map();
    for (const place of places) addPlace(wanted, resolve(place));
    for (const folder of [...watched.keys()]) if (!wanted.has(folder)) detach(folder);
    for (const folder of wanted.keys()) attach(folder);
  }

  cover();
  return () => {
    clearTimeout(waiting);
    for (const folder of [...watched.keys()]) detach(folder);
  };
}

/** The place with all folders in it, and the nearest folder around it that exists. */
function addPlace(wanted: Map<string, Names>, place: string): void {
  addTree(wanted, place, new Set());
  let inner = place;
  while (dirname(inner) !== inner && identityOf(dirname(inner)) === null) inner = dirname(inner);
  const around = dirname(inner);
  const names = wanted.get(around);
  if (names !== null) wanted.set(around, new Set([...(names ?? []), basename(inner)]));
}

/** Follows links to folders, each folder once. */
function addTree(wanted: Map<string, Names>, folder: string, seen: Set<string>): void {
  const identity = identityOf(folder);
  if (identity === null || seen.has(identity) || seen.size >= MAX_FOLDERS) return;
  seen.add(identity);
  wanted.set(folder, null);
  for (const entry of entriesIn(folder)) {
    const mayBeFolder = entry.isDirectory() || entry.isSymbolicLink();
    if (mayBeFolder && !isExcluded(folder, entry.name)) {
      addTree(wanted, join(folder, entry.name), seen);
    }
  }
}

function isExcluded(folder: string, name: string): boolean {
  return EXCLUDED.has(name) || (basename(folder) === '.deepwork' && EXCLUDED_OWN.has(name));
}

function entriesIn(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Null if it is not a folder. */
function identityOf(path: string): string | null {
  try {
    const stats = statSync(path);
    return stats.isDirectory() ? `${stats.dev}:${stats.ino}` : null;
  } catch {
    return null;
  }
}
