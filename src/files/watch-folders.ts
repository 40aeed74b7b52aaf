// Reports which files in a set of folders were touched since the last call, so that not every
// call has to check thousands of files one by one. It is reliable only under these conditions:
//   - Linux: the kernel queues an event before the call that causes it returns, so an edit
//     made before a request is in the queue when the request is read;
//   - file systems that no one changes from another machine, or from below;
//   - the queue cannot have overflowed. On overflow the system drops events, and Node does not
//     report it; but an overflow is read together with a full queue of events, and the kernel
//     counts the bytes a process reads. If less than a full queue was read, nothing was lost.
//
// The caller checks what causes no event (links, files with several names) itself; a change
// only through a memory map stays unnoticed until something else happens.

import { type FSWatcher, readFileSync, statfsSync, watch } from 'node:fs';
import { basename, join } from 'node:path';

export interface WatchedFolder {
  readonly path: string;
  /** A folder with the same path and another identity is watched anew. Begins with the device. */
  readonly identity: string;
}

export interface FolderWatch {
  /** The paths touched since the last call; null if that is unknown. */
  take(): ReadonlySet<string> | null;
  /** Watches these from now on; false if they cannot be watched reliably. */
  cover(folders: readonly WatchedFolder[]): boolean;
  close(): void;
}

interface Watched {
  readonly identity: string;
  readonly watcher: FSWatcher;
}

/** inotify watches are a per-user quota shared with editors and builds. */
const MAX_SHARE = 1 / 16;
/** Beyond this number it is cheaper to check everything. */
const MAX_TOUCHED = 1000;
/** bcachefs, btrfs, ext, f2fs, ramfs, tmpfs, xfs, zfs: by their magic numbers. */
const LOCAL = new Set([
  0xca451a4e, 0x9123683e, 0xef53, 0xf2f52010, 0x858458f6, 0x01021994, 0x58465342, 0x2fc12fc1,
]);
const MIN_EVENT_BYTES = 16;

/** Null if a watch would not be reliable here. */
export function openFolderWatch(): FolderWatch | null {
  const max = systemLimit('max_user_watches');
  const eventsLost = openOverflowCheck();
  if (max === null || eventsLost === null) return null;
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
      // The folder's own name is reported for changes of the folder itself, such as removal.
      if (name === null || name === own) lose(path);
      else if (touched.size >= MAX_TOUCHED) uncertain = true;
      else touched.add(join(path, name));
    });
    watcher.on('error', () => lose(path));
    watched.set(path, { identity, watcher });
    // Changes before the watch started were not reported.
    uncertain = true;
  };

  const close = () => {
    for (const path of [...watched.keys()]) drop(path);
    uncertain = true;
  };

  return {
    take() {
      // Called each time, because it counts from one call to the next.
      const lost = eventsLost();
      const reported = lost || uncertain ? null : touched;
      touched = new Set();
      uncertain = false;
      return reported;
    },

    cover(folders) {
      const wanted = new Set(folders.map(({ path }) => path));
      for (const path of [...watched.keys()]) if (!wanted.has(path)) drop(path);
      try {
        if (folders.length > max * MAX_SHARE || !areLocal(folders)) throw new Error('unwatchable');
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
 * Resolves when every event queued before the call has been reported. The first turn may end
 * the current round of the event loop; the second is a whole round.
 */
export async function eventsDelivered(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** One check per device; identities begin with the device number. */
function areLocal(folders: readonly WatchedFolder[]): boolean {
  const byDevice = new Map(folders.map(({ path, identity }) => [identity.split(':')[0], path]));
  return [...byDevice.values()].every((path) => LOCAL.has(statfsSync(path).type));
}

/** Returns a check whether events may have been dropped since its last call. */
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

/** A limit of the system per user. */
function systemLimit(name: 'max_queued_events' | 'max_user_watches'): number | null {
  return readNumber(`/proc/sys/fs/inotify/${name}`, /^(\d+)/);
}

/** All bytes this process has ever read. */
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
