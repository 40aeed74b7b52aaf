// Says whether anything at all happened in a set of folders since it was last asked, so
// that thousands of files need not be looked at one by one for every call. It never says
// what: whoever hears of a change looks at everything.
//
// When silence can be trusted is said in `files/watch-reliability.ts`.
// What no event tells of (links, files with several names) the caller looks at himself;
// a change through a memory map alone would stay unseen until something else happens.

import { type BigIntStats, type FSWatcher, watch } from 'node:fs';
import { basename } from 'node:path';
import { isOnLocalDisk, openQueueGuard, watchLimit } from '../files/watch-reliability.ts';

export interface WatchedFolder {
  readonly path: string;
  /** A folder of the same path and another identity is watched anew. */
  readonly identity: string;
}

export interface TreeWatch {
  /** True if nothing happened since the last time it was asked. */
  quiet(): boolean;
  /** From now on watches these; false if they cannot be watched in a way to rely on. */
  cover(folders: readonly WatchedFolder[]): boolean;
  close(): void;
}

interface Watched {
  readonly identity: string;
  readonly watcher: FSWatcher;
}

/** The same folder, whatever happened in it. A number freed by one may be given to the next. */
export function identityOf({ dev, ino, birthtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${birthtimeNs}`;
}

/** Watches are a user's common good: editors and builds need them too. */
const MAX_SHARE = 1 / 16;

/** Null where silence would mean nothing. */
export function openTreeWatch(): TreeWatch | null {
  const most = watchLimit('max_user_watches');
  const queue = openQueueGuard();
  if (most === null || queue === null) return null;
  const watched = new Map<string, Watched>();
  let happened = true;

  const drop = (path: string) => {
    watched.get(path)?.watcher.close();
    watched.delete(path);
  };

  const attach = ({ path, identity }: WatchedFolder) => {
    const own = basename(path);
    const watcher = watch(path, { persistent: false }, (_, name) => {
      happened = true;
      // Its own name is given for what happens to the folder itself, such as its end.
      if (name === null || name === own) drop(path);
    });
    watcher.on('error', () => {
      happened = true;
      drop(path);
    });
    watched.set(path, { identity, watcher });
  };

  const close = () => {
    for (const path of [...watched.keys()]) drop(path);
  };

  return {
    quiet() {
      const quiet = !queue.lost() && !happened;
      happened = false;
      return quiet;
    },

    cover(folders) {
      const wanted = new Set(folders.map(({ path }) => path));
      for (const path of [...watched.keys()]) if (!wanted.has(path)) drop(path);
      try {
        if (folders.length > most * MAX_SHARE || !areLocal(folders)) throw new Error('unwatchable');
        for (const folder of folders) {
          if (watched.get(folder.path)?.identity === folder.identity) continue;
          drop(folder.path);
          attach(folder);
          // What happened before it was watched, nobody has told.
          happened = true;
        }
        return true;
      } catch {
        close();
        happened = true;
        return false;
      }
    },

    close,
  };
}

/** One look for each device, of which the identities begin with the number. */
function areLocal(folders: readonly WatchedFolder[]): boolean {
  const byDevice = new Map(folders.map(({ path, identity }) => [identity.split(':')[0], path]));
  return [...byDevice.values()].every(isOnLocalDisk);
}
