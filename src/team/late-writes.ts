// Files that were replaced, held open for a moment. A program that writes a file in place
// opens it, empties it, writes: if the file is replaced in between, its words go into a
// file that has no name any more, and would be lost. So replaced files are looked at for
// half a second, and whoever replaced them is told what came in late.

import { close, fstatSync, readSync } from 'node:fs';

export interface LateWrites {
  /** `bytes` is what it held when it was replaced. Closes the handle in time. */
  add(handle: number, bytes: Buffer, changed: (bytes: Buffer) => void): void;
}

interface Leftover {
  readonly handle: number;
  readonly until: number;
  readonly changed: (bytes: Buffer) => void;
  bytes: Buffer;
}

/** What is read of a state file. Larger ones are not ours, and not anybody's state. */
export const MAX_STATE_BYTES = 16 * 1024 * 1024;
const LOOK_EVERY_MS = 25;
const HELD_MS = 500;
/** Under a storm of writes the older ones are let go early. */
const MOST = 16;

export function openLateWrites(): LateWrites {
  const held: Leftover[] = [];
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    const now = performance.now();
    for (const leftover of [...held]) {
      if (now >= leftover.until || !lookInto(leftover)) letGo(leftover);
    }
    if (held.length > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  /** False if there is nothing to be read any more. */
  function lookInto(leftover: Leftover): boolean {
    try {
      const bytes = contentOf(leftover.handle);
      const isNew = !bytes.equals(leftover.bytes);
      leftover.bytes = bytes;
      if (isNew) leftover.changed(bytes);
      return true;
    } catch {
      return false;
    }
  }

  function letGo(leftover: Leftover): void {
    held.splice(held.indexOf(leftover), 1);
    // Freeing a file that has no name waits for the disk; nobody should wait with it.
    close(leftover.handle, () => {});
  }

  return {
    add(handle, bytes, changed) {
      held.push({ handle, bytes, changed, until: performance.now() + HELD_MS });
      const [oldest] = held;
      if (held.length > MOST && oldest !== undefined) letGo(oldest);
      timer ??= setInterval(look, LOOK_EVERY_MS).unref();
    },
  };
}

/** All of an open file, from its beginning whatever was read before. */
export function contentOf(handle: number): Buffer {
  const buffer = Buffer.allocUnsafe(Math.min(fstatSync(handle).size, MAX_STATE_BYTES));
  let length = 0;
  while (length < buffer.length) {
    const count = readSync(handle, buffer, length, buffer.length - length, length);
    if (count === 0) break;
    length += count;
  }
  return buffer.subarray(0, length);
}
