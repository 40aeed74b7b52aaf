// Says which entries of a folder have been touched since it was last asked, so that a
// folder of a thousand files need not be looked at file by file for every call.
//
// When that can be trusted is said in `watch-trust.ts`. What is never told: changes through
// another hard link, and through memory maps. Whoever asks must look at such files himself.

import { watch } from 'node:fs';
import { basename } from 'node:path';
import { isOnLocalDisk } from '../../files/watch-reliability.ts';

export interface FolderWatch {
  /** The names touched since the last time; null if that cannot be said. */
  take(): ReadonlySet<string> | null;
  close(): void;
}

/** Beyond so many names it is no dearer to look at everything. */
const MAX_NAMES = 1000;

/** Null if the folder cannot be watched, or not in a way that can be relied on. */
export function watchFolder(folder: string): FolderWatch | null {
  let names = new Set<string>();
  let uncertain = false;
  /** The folder was removed, or renamed, or there was an error: nothing more can be said. */
  let ended = false;

  const notice = (name: string | null) => {
    if (name === null || names.size >= MAX_NAMES) uncertain = true;
    else names.add(name);
    // The folder's own name is given for what happens to the folder itself.
    if (name === basename(folder)) ended = true;
  };

  try {
    if (!isOnLocalDisk(folder)) return null;
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
      close: () => watcher.close(),
    };
  } catch {
    return null;
  }
}
