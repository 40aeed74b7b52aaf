// Says which entries of a folder have been touched since it was last asked, so that a
// folder of a thousand files need not be looked at file by file for every call.
//
// Only Linux can be trusted with this: there the kernel queues the event before the
// system call that causes it returns, so an edit made before a call is in the queue when
// the call arrives, and `settleEvents` lets the event loop empty the queue. Elsewhere
// events come late. Nor are there events for what another machine does on a shared disk,
// hence the list of file systems that are local. What is never told: changes through
// another hard link, and through memory maps. Whoever asks must look at such files himself.

import { statfsSync, watch } from 'node:fs';
import { basename } from 'node:path';

export interface FolderWatch {
  /** The names touched since the last time; null if that cannot be said. */
  take(): ReadonlySet<string> | null;
  /** The watch has ended: the folder was removed, or renamed, or there was an error. */
  readonly ended: boolean;
  close(): void;
}

/** bcachefs, btrfs, ext, f2fs, overlay, ramfs, tmpfs, xfs, zfs: by their magic numbers. */
const LOCAL = new Set([
  0xca451a4e, 0x9123683e, 0xef53, 0xf2f52010, 0x794c7630, 0x858458f6, 0x01021994, 0x58465342,
  0x2fc12fc1,
]);
/** Beyond so many names it is no dearer to look at everything. */
const MOST_NAMES = 1000;

/** Null if the folder cannot be watched, or not in a way that can be relied on. */
export function watchFolder(folder: string): FolderWatch | null {
  let names = new Set<string>();
  let uncertain = false;
  let ended = false;

  const notice = (name: string | null) => {
    if (name === null || names.size >= MOST_NAMES) uncertain = true;
    else names.add(name);
    // The folder's own name is given for what happens to the folder itself.
    if (name === basename(folder)) ended = true;
  };

  try {
    if (process.platform !== 'linux' || !LOCAL.has(statfsSync(folder).type)) return null;
    const watcher = watch(folder, { persistent: false }, (_, name) => notice(name));
    watcher.on('error', () => {
      ended = true;
    });
    return {
      take() {
        const told = uncertain || ended ? null : names;
        names = new Set();
        uncertain = false;
        return told;
      },
      get ended() {
        return ended;
      },
      close: () => watcher.close(),
    };
  } catch {
    return null;
  }
}

/**
 * Ends when every event that was queued before it began has been told. The first turn may
 * end the very round of the event loop that is under way; the second is a whole round.
 */
export async function settleEvents(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}
