// Replaces files whole: a reader sees the former content or the new one, never a part.
// That is a temporary file and a rename; a link in the file's place is replaced itself,
// never written through. Creating and freeing inodes contends with the sync in flight when
// a view is written. So the next temporary file is made ahead, and the replaced one is held
// open and closed later, when no answer waits. What is left to do is to write and rename.
// What is put in place is this user's alone, whatever was there before.

import { randomBytes } from 'node:crypto';
import { close, closeSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface Replacer {
  /**
   * Straight to the system: nothing here waits for the disk. `mayReplace` has the last
   * word, when nothing but the rename is left to do; if it says no, the answer is false.
   */
  replace(file: string, text: string | Uint8Array, mayReplace?: () => boolean): boolean;
}

interface Opened {
  readonly name: string;
  readonly descriptor: number;
}

/** When the answer that the view belongs to is most likely on its way. */
const LATER_MS = 1;
/** Waking a thread to close one file takes longer than all else that is put off. */
const CLOSE_TOGETHER_MS = 250;
const MAX_HELD = 32;

/** Random once a process, counted within it: nobody else writes these files. */
const OWN_NAME = randomBytes(6).toString('hex');
let made = 0;

/** What every temporary file here is called, whichever process made it. */
export const TEMPORARY_NAME = /^\.[0-9a-f]{12}-[0-9]+\.tmp$/;

/**
 * For files in one folder, which must exist. `check` throws if the folder must not be
 * written to; it is asked each time, since a folder may have become a link meanwhile.
 */
export function openReplacer(folder: string, check: () => void = () => {}): Replacer {
  let spare: Opened | null = null;
  /** What was put in place last; while it is open, replacing it frees nothing. */
  let current: number | null = null;
  let letGo: number[] = [];
  let planned = false;
  let closing: NodeJS.Timeout | null = null;

  function make(): Opened {
    check();
    made += 1;
    const name = path.join(folder, `.${OWN_NAME}-${made}.tmp`);
    return { name, descriptor: openSync(name, 'wx', 0o600) };
  }

  function tidy(): void {
    planned = false;
    if (letGo.length >= MAX_HELD) closeAll();
    else if (letGo.length > 0) closing ??= setTimeout(closeAll, CLOSE_TOGETHER_MS).unref();
    try {
      spare ??= keepUntilExit(make());
    } catch {
      // Whoever needs it next makes it, and tells why it cannot be made.
    }
  }

  /** Freeing waits for the disk; what the next call does should not wait with it. */
  function closeAll(): void {
    if (closing !== null) clearTimeout(closing);
    closing = null;
    for (const descriptor of letGo) close(descriptor, () => {});
    letGo = [];
  }

  function put(
    opened: Opened,
    file: string,
    text: string | Uint8Array,
    mayReplace: () => boolean,
  ): boolean {
    try {
      writeFileSync(opened.descriptor, text);
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
    if (current !== null) letGo.push(current);
    current = opened.descriptor;
    return true;
  }

  return {
    replace(file, text, mayReplace = () => true) {
      check();
      const ready = spare;
      spare = null;
      if (ready !== null) leftovers.delete(ready.name);
      let replaced: boolean;
      try {
        replaced = put(ready ?? make(), file, text, mayReplace);
      } catch (error) {
        // Temporary files may be cleaned up at any time, and so may one made ahead.
        if (ready === null || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
        replaced = put(make(), file, text, mayReplace);
      }
      if (!planned) setTimeout(tidy, LATER_MS).unref();
      planned = true;
      return replaced;
    },
  };
}

const leftovers = new Set<string>();
let leaving = false;

function keepUntilExit(opened: Opened): Opened {
  leftovers.add(opened.name);
  if (!leaving) process.once('exit', () => leftovers.forEach(remove));
  leaving = true;
  return opened;
}

function remove(name: string): void {
  rmSync(name, { force: true });
}
