// Says which files of a set of folders have been touched since it was last asked, so that
// thousands of files need not be looked at one by one for every call. It relies on this and
// on nothing less:
//   - on Linux the kernel queues an event before the call that causes it returns, so an
//     edit made before a request is in the queue when the request is read;
//   - on file systems that nobody changes from another machine, or from below;
//   - as long as the queue cannot have overflowed. The system drops events then, and Node
//     does not tell; but an overflow is read together with a queue full of events, and the
//     kernel counts what a process reads. Less than a queue's worth read: nothing lost.
//
// What no event tells of (links, files with several names) the caller looks at himself;
// a change through a memory map alone would stay unseen until something else happens.

import { type FSWatcher, readFileSync, statfsSync, watch } from 'node:fs';
import { basename, join } from 'node:path';

export interface WatchedFolder {
  readonly path: string;
  /** A folder of the same path and another identity is watched anew. Begins with its device. */
  readonly identity: string;
}

export interface FolderWatch {
  /** The paths touched since the last time it was asked; null if that cannot be said. */
  take(): ReadonlySet<string> | null;
  /** From now on watches these; false if they cannot be watched in a way to rely on. */
  cover(folders: readonly WatchedFolder[]): boolean;
  close(): void;
}

interface Watched {
  readonly identity: string;
  readonly watcher: FSWatcher;
}

/** inotify watches are a per-user quota shared with editors and builds. */
const MAX_SHARE = 1 / 16;
/** Beyond so many it is no dearer to look at everything. */
const MAX_TOUCHED = 1000;
/** bcachefs, btrfs, ext, f2fs, ramfs, tmpfs, xfs, zfs: by their magic numbers. */
const LOCAL = new Set([
  0xca451a4e, 0x9123683e, 0xef53, 0xf2f52010, 0x858458f6, 0x01021994, 0x58465342, 0x2fc12fc1,
]);
const MIN_EVENT_BYTES = 16;

/** Null where silence would mean nothing. */
export function openFolderWatch(): FolderWatch | null {
  const most = systemLimit('max_user_watches');
  const eventsLost = openOverflowCheck();
  if (most === null || eventsLost === null) return null;
  const watched = new Map<string, Watched>();
  let touched = new Set<string>();
  let uncertain = true;

  const drop = (path: string) => {
    watched.get(path)?.watcher.close();
    watched.delete(path);
  };

  const lose = (path: string) => {
    uncertain = true;
    drop(path);
  };

  const attach = ({ path, identity }: WatchedFolder) => {
    const own = basename(path);
    const watcher = watch(path, { persistent: false }, (_, name) => {
      // Its own name is given for what happens to the folder itself, such as its end.
      if (name === null || name === own) lose(path);
      else if (touched.size >= MAX_TOUCHED) uncertain = true;
      else touched.add(join(path, name));
    });
    watcher.on('error', () => lose(path));
    watched.set(path, { identity, watcher });
    // What happened before it was watched, nobody has told.
    uncertain = true;
  };

  const close = () => {
    for (const path of [...watched.keys()]) drop(path);
    uncertain = true;
  };

  return {
    take() {
      // Asked each time: it counts from one call to the next.
      const lost = eventsLost();
      const told = lost || uncertain ? null : touched;
      touched = new Set();
      uncertain = false;
      return told;
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
        }
        return true;
      } catch {
        close();
        return false;
      }
    },

    close,
  };
}

/**
 * Ends when every event that was queued before it began has been told. The first turn may
 * end the very round of the event loop that is under way; the second is a whole round.
 */
export async function eventsDelivered(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** One look for each device, of which the identities begin with the number. */
function areLocal(folders: readonly WatchedFolder[]): boolean {
  const byDevice = new Map(folders.map(({ path, identity }) => [identity.split(':')[0], path]));
  return [...byDevice.values()].every((path) => LOCAL.has(statfsSync(path).type));
}

/** Tells whether events may have been dropped since it was last asked. */
function openOverflowCheck(): (() => boolean) | null {
  const queue = systemLimit('max_queued_events');
  const start = bytesRead();
  if (process.platform !== 'linux' || queue === null || start === null) return null;
  let before = start;
  return () => {
    const now = bytesRead();
    const lost = now === null || now - before >= queue * MIN_EVENT_BYTES;
    before = now ?? 0;
    return lost;
  };
}

/** What the system grants to one user. */
function systemLimit(name: 'max_queued_events' | 'max_user_watches'): number | null {
  return readNumber(`/proc/sys/fs/inotify/${name}`, /^(\d+)/);
}

/** By this process, ever, from whatever it reads. */
function bytesRead(): number | null {
  return readNumber('/proc/self/io', /^rchar: (\d+)/m);
}

function readNumber(file: string, pattern: RegExp): number | null {
  try {
    const found = pattern.exec(readFileSync(file, 'latin1'))?.[1];
    return found === undefined ? null : Number(found);
  } catch {
    return null;
  }
}
