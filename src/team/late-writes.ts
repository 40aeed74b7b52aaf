// Replaced files, held open for a moment. A program that writes a file in place opens it,
// truncates it, and writes: if the file is replaced in between, the text goes into a file
// without a name and would be lost. So replaced files are watched for half a second, and late
// writes are passed to the code that replaced the file.

import { close, fstatSync, readSync } from 'node:fs';

export interface LateWrites {
  /** `bytes` is the content when it was replaced. Closes the handle later. */
  add(handle: number, bytes: Buffer, changed: (bytes: Buffer) => void): void;
}

interface LateWrite {
  readonly handle: number;
  readonly until: number;
  readonly changed: (bytes: Buffer) => void;
  bytes: Buffer;
}

/** Larger files are not read: no state file is that large. */
export const MAX_STATE_BYTES = 16 * 1024 * 1024;
const POLL_MS = 25;
const HELD_MS = 500;
/** In a burst of writes the oldest are released early. */
const MAX_HELD = 16;

export function openLateWrites(): LateWrites {
  const held: LateWrite[] = [];
  let timer: NodeJS.Timeout | undefined;

  function poll(): void {
    const now = performance.now();
    for (const late of [...held]) {
      if (now >= late.until || !readAgain(late)) release(late);
    }
    if (held.length > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  /** False if it can no longer be read. */
  function readAgain(late: LateWrite): boolean {
    try {
      const bytes = contentOf(late.handle);
      const isNew = !bytes.equals(late.bytes);
      late.bytes = bytes;
      if (isNew) late.changed(bytes);
      return true;
    } catch {
      return false;
    }
  }

  function release(late: LateWrite): void {
    held.splice(held.indexOf(late), 1);
    // Freeing a file without a name waits for the disk, so close it asynchronously.
    close(late.handle, () => {});
  }

  return {
    add(handle, bytes, changed) {
      held.push({ handle, bytes, changed, until: performance.now() + HELD_MS });
      const [oldest] = held;
      if (held.length > MAX_HELD && oldest !== undefined) release(oldest);
      timer ??= setInterval(poll, POLL_MS).unref();
    },
  };
}

/** The whole content of an open file, from its beginning. */
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
