// Reads a small file that must lie inside a folder, whatever is really found there:
// links are followed first and judged by where they end; devices, pipes and folders
// are never opened; and the bytes come from one handle that was checked after opening,
// so that a file swapped in between can neither block the server nor grow past the limit.

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
} from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';

export type ContainedFile =
  | { readonly kind: 'read'; readonly bytes: Buffer }
  | { readonly kind: 'missing' }
  | { readonly kind: 'outside' }
  | { readonly kind: 'not-regular' }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'unreadable'; readonly why: string };

// Neither flag exists on Windows, where neither danger does.
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
const CHUNK = 64 * 1024;

/** True for `folder` itself and everything below it; both must be resolved already. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

export async function readContainedFile(
  realFolder: string,
  path: string,
  mostBytes: number,
): Promise<ContainedFile> {
  if (path.includes('\0')) return { kind: 'missing' };
  try {
    const real = realpathSync.native(path);
    if (!isInside(realFolder, real)) return { kind: 'outside' };
    const before = lstatSync(real);
    if (!before.isFile()) return { kind: 'not-regular' };
    if (before.size > mostBytes) return { kind: 'too-large' };
    return readHandle(real, mostBytes);
  } catch (error) {
    return failure(error);
  }
}

function readHandle(real: string, mostBytes: number): ContainedFile {
  const handle = openSync(real, FLAGS);
  try {
    const stats = fstatSync(handle);
    if (!stats.isFile()) return { kind: 'not-regular' };
    const chunks: Buffer[] = [];
    let total = 0;
    let size = Math.min(stats.size, mostBytes) + 1;
    for (;;) {
      const buffer = Buffer.allocUnsafe(size);
      const bytesRead = readSync(handle, buffer, 0, size, null);
      chunks.push(buffer.subarray(0, bytesRead));
      total += bytesRead;
      if (total > mostBytes) return { kind: 'too-large' };
      // A regular file gives less than was asked for only at its end.
      if (bytesRead < size) return { kind: 'read', bytes: Buffer.concat(chunks, total) };
      size = CHUNK;
    }
  } finally {
    closeSync(handle);
  }
}

const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']);

function failure(error: unknown): ContainedFile {
  const code = errorCode(error);
  if (ABSENT.has(code)) return { kind: 'missing' };
  return { kind: 'unreadable', why: systemWords(error) };
}

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ELOOP: 'its symbolic links lead in a circle',
  EIO: 'the disk reports an error',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files',
  ENOENT: 'it does not exist',
  ENOTDIR: 'it is not a folder',
};

export function errorCode(error: unknown): string {
  if (error instanceof Error && 'code' in error) return String(error.code);
  return '';
}

/** A system error in words that fit after a colon. */
export function systemWords(error: unknown): string {
  const code = errorCode(error);
  return WORDS[code] ?? (code || String(error));
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
