// Replaces files atomically by a temporary file and a rename: a reader sees the old content or
// the new, never a part. A link in the file's place is itself replaced, never written through.
// Creating and freeing inodes is slow while the journal is being synced, which is when views are
// written. So the next temporary file is created ahead, and the replaced file is held open and closed later,
// when no answer waits. That leaves only a write and a rename. The new file is readable only by
// this user, whatever was there before.

import { randomBytes } from 'node:crypto';
import { close, closeSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface Replacer {
  /**
   * Synchronous, because nothing here waits for the disk. `mayReplace` is asked right before
   * the rename; returns false if it refuses.
   */
  replace(file: string, text: Text, mayReplace?: () => boolean): boolean;
  /** Removes the file created ahead and closes the others; replacing still works afterwards. */
  close(): void;
}

/** Pieces are written one after the other. */
type Text = Piece | readonly Piece[];
type Piece = string | Uint8Array;

interface Opened {
  readonly name: string;
  readonly descriptor: number;
}

/** The answer that the view belongs to has most likely been sent by then. */
const LATER_MS = 1;
/** Waking a thread to close one file costs more than all other deferred work. */
const CLOSE_TOGETHER_MS = 250;
const MAX_HELD = 32;

/** Random once per process, then counted: no one else writes these files. */
const OWN_NAME = randomBytes(6).toString('hex');
let made = 0;

/** The names of temporary files, of any process. */
export const TEMPORARY_NAME = /^\.[0-9a-f]{12}-[0-9]+\.tmp$/;

/**
 * For files in one folder, which must exist. `check` throws if the folder must not be written
 * to; it is called each time, since a folder may become a link.
 */
export function openReplacer(folder: string, check: () => void = () => {}): Replacer {
  let spare: Opened | null = null;
  /** The file put in place last; replacing it frees nothing while it is open. */
  let current: number | null = null;
  /** Descriptors of replaced files, to be closed later. */
  let replacedFiles: number[] = [];
  let planned = false;
  let closing: NodeJS.Timeout | null = null;
  let closed = false;

  function make(): Opened {
    check();
    made += 1;
    const name = path.join(folder, `.${OWN_NAME}-${made}.tmp`);
    return { name, descriptor: openSync(name, 'wx', 0o600) };
  }

  function tidy(): void {
    planned = false;
    if (closed) {
      release();
      return;
    }
    if (replacedFiles.length >= MAX_HELD) closeAll();
    else if (replacedFiles.length > 0) closing ??= setTimeout(closeAll, CLOSE_TOGETHER_MS).unref();
    try {
      spare ??= keepUntilExit(make());
    } catch {
      // The next call creates it, and reports why it cannot.
    }
  }

  /** Freeing waits for the disk, so it is asynchronous. */
  function closeAll(): void {
    if (closing !== null) clearTimeout(closing);
    closing = null;
    for (const descriptor of replacedFiles) close(descriptor, () => {});
    replacedFiles = [];
  }

  function release(): void {
    if (current !== null) replacedFiles.push(current);
    current = null;
    if (spare !== null) {
      replacedFiles.push(spare.descriptor);
      unfinished.delete(spare.name);
      removeIfAllowed(spare.name);
    }
    spare = null;
    closeAll();
  }

  function removeIfAllowed(name: string): void {
    try {
      check();
      remove(name);
    } catch {
      // The folder is not ours any more. A later server removes the file if it is still there.
    }
  }

  function put(opened: Opened, file: string, text: Text, mayReplace: () => boolean): boolean {
    try {
      for (const piece of [text].flat()) writeFileSync(opened.descriptor, piece);
      if (!mayReplace()) {
        closeSync(opened.descriptor);
        rmSync(opened.name, { force: true });
        return false;
      }
      renameSync(opened.name, file);
    } catch (error) {
      closeSync(opened.descriptor);
      rmSync(opened.name, { force: true });
      throw error;
    }
    if (current !== null) replacedFiles.push(current);
    current = opened.descriptor;
    return true;
  }

  return {
    replace(file, text, mayReplace = () => true) {
      check();
      const ready = spare;
      spare = null;
      if (ready !== null) unfinished.delete(ready.name);
      let replaced: boolean;
      try {
        replaced = put(ready ?? make(), file, text, mayReplace);
      } catch (error) {
        // Temporary files may be cleaned up at any time, even the one created ahead.
        if (ready === null || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
        replaced = put(make(), file, text, mayReplace);
      }
      if (!planned) setTimeout(tidy, LATER_MS).unref();
      planned = true;
      return replaced;
    },
    close() {
      closed = true;
      release();
    },
  };
}

const unfinished = new Set<string>();
let exitHandled = false;

function keepUntilExit(opened: Opened): Opened {
  unfinished.add(opened.name);
  if (!exitHandled) process.once('exit', () => unfinished.forEach(remove));
  exitHandled = true;
  return opened;
}

function remove(name: string): void {
  rmSync(name, { force: true });
}
