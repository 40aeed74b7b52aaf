// Reads a small file, whatever is really found at its path: devices, pipes and folders are
// never opened for reading, and the bytes come from one handle that was checked after
// opening, so that a file swapped in between can neither block the server nor grow past
// the limit. Links are either followed first and judged by where they end
// (`readContained`), or not followed at all (`readSmall…`, for files that only we write).

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
import { errorCode, systemWords } from './system-words.ts';

export type ContainedFile =
  | { readonly kind: 'read'; readonly bytes: Buffer }
  | { readonly kind: 'missing' }
  | { readonly kind: 'outside' }
  | { readonly kind: 'not-regular' }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'unreadable'; readonly why: string };

/** Never follows a link, never waits. Neither flag exists on Windows, nor does the danger. */
export const READ_SAFELY =
  constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
const CHUNK = 64 * 1024;

/** The file must really lie inside the folder, which must be resolved already. */
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

/** The text, or null if there is no regular file of at most `limit` bytes; no link either. */
export function readSmallText(file: string, limit: number): string | null {
  return readSmallBytes(file, limit)?.toString('utf8') ?? null;
}

/** Likewise, the bytes. */
export function readSmallBytes(file: string, limit: number): Buffer | null {
  try {
    const read = readNamed(file, limit);
    return read.kind === 'read' ? read.bytes : null;
  } catch {
    return null;
  }
}

function readNamed(file: string, maxBytes: number): ContainedFile {
  const handle = openSync(file, READ_SAFELY);
  try {
    return readOpened(handle, maxBytes);
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
    // A regular file gives less than was asked for only at its end.
    if (bytesRead < size) return { kind: 'read', bytes: Buffer.concat(chunks, total) };
    size = CHUNK;
  }
}

const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']);

function failure(error: unknown): ContainedFile {
  if (ABSENT.has(errorCode(error))) return { kind: 'missing' };
  return { kind: 'unreadable', why: systemWords(error) };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The text of bytes that are UTF-8 (a byte order mark is dropped), or null. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}
