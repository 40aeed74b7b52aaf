// Reads a small file safely, whatever is at its path: devices, pipes and folders are never
// read, and the bytes come from one handle that is checked after opening, so that a file
// swapped in between can neither block the server nor exceed the limit. Links are either
// resolved first and checked by their target (`readContained`), or not followed at all
// (`readSmall…`, for files that only we write). Only in a user's own files they may lead anywhere
// (`readLinkedText`).

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
} from 'node:fs';
import { isInside } from './inside.ts';
import { realPathOf } from './real-path.ts';
import { describeSystemError, errorCode } from './system-errors.ts';

export type ContainedFile =
  | { readonly kind: 'read'; readonly bytes: Buffer }
  | { readonly kind: 'missing' }
  | { readonly kind: 'outside' }
  | { readonly kind: 'not-regular' }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'unreadable'; readonly why: string };

/** Never follows a link, never waits. Windows has neither these flags nor the danger. */
export const READ_SAFELY =
  constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
const CHUNK = 64 * 1024;

/** The file must really be inside the folder, which must be resolved already. */
export function readContained(realFolder: string, path: string, maxBytes: number): ContainedFile {
  if (path.includes('\0')) return { kind: 'missing' };
  try {
    const real = realpathSync.native(path);
    if (!isInside(realFolder, real)) return { kind: 'outside' };
    const before = lstatSync(real);
    if (!before.isFile()) return { kind: 'not-regular' };
    if (before.size > maxBytes) return { kind: 'too-large' };
    return readNamed(real, maxBytes);
  } catch (error) {
    return failure(error);
  }
}

/** The text of a file that must really be inside the project; null if it cannot be read. */
export function readProjectText(project: string, file: string, maxBytes: number): string | null {
  const read = readContained(realPathOf(project), file, maxBytes);
  return read.kind === 'read' ? read.bytes.toString('utf8') : null;
}

/** The text, or null if it is not a regular file of at most `limit` bytes; links count as none. */
export function readSmallText(file: string, limit: number): string | null {
  return readSmallBytes(file, limit)?.toString('utf8') ?? null;
}

/** The same as bytes. */
export function readSmallBytes(file: string, limit: number): Buffer | null {
  try {
    const read = readNamed(file, limit);
    return read.kind === 'read' ? read.bytes : null;
  } catch {
    return null;
  }
}

/** The same for a file in the user's home, which may be a link: people keep settings elsewhere. */
export function readLinkedText(file: string, limit: number): string | null {
  try {
    return readSmallText(realpathSync.native(file), limit);
  } catch {
    return null;
  }
}

/** At most the first `length` bytes as text, however large the file is; links count as none. */
export function readTextStart(file: string, length: number): string | null {
  return readPart(file, length, () => 0);
}

/** The same for the last bytes. */
export function readTextEnd(file: string, length: number): string | null {
  return readPart(file, length, (size) => Math.max(0, size - length));
}

function readPart(file: string, length: number, from: (size: number) => number): string | null {
  const buffer = Buffer.allocUnsafe(length);
  try {
    return withOpened(file, (handle) => {
      const stats = fstatSync(handle);
      if (!stats.isFile()) return null;
      return buffer.toString('utf8', 0, readSync(handle, buffer, 0, length, from(stats.size)));
    });
  } catch {
    return null;
  }
}

function readNamed(file: string, maxBytes: number): ContainedFile {
  return withOpened(file, (handle) => readOpened(handle, maxBytes));
}

function withOpened<T>(file: string, use: (handle: number) => T): T {
  const handle = openSync(file, READ_SAFELY);
  try {
    return use(handle);
  } finally {
    closeSync(handle);
  }
}

function readOpened(handle: number, maxBytes: number): ContainedFile {
  const stats = fstatSync(handle);
  if (!stats.isFile()) return { kind: 'not-regular' };
  if (stats.size > maxBytes) return { kind: 'too-large' };
  const chunks: Buffer[] = [];
  let total = 0;
  let size = stats.size + 1;
  for (;;) {
    const buffer = Buffer.allocUnsafe(size);
    const bytesRead = readSync(handle, buffer, 0, size, null);
    chunks.push(buffer.subarray(0, bytesRead));
    total += bytesRead;
    if (total > maxBytes) return { kind: 'too-large' };
    // A short read of a regular file means its end.
    if (bytesRead < size) return { kind: 'read', bytes: Buffer.concat(chunks, total) };
    size = CHUNK;
  }
}

const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']);

function failure(error: unknown): ContainedFile {
  if (ABSENT.has(errorCode(error))) return { kind: 'missing' };
  return { kind: 'unreadable', why: describeSystemError(error) };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Decodes UTF-8, without a byte order mark; null if the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}
