// The files submitted for a step, after their paths have been checked (`output-path.ts`): their
// stamps and their bytes. A file counts by its real target, which must be inside the project at
// each use.

import { createHash } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { nextSlice, sliceIsOver } from '../async/slices.ts';
import { describeStats, TICK_MS } from '../files/fingerprint.ts';
import { pathInside } from '../files/inside.ts';
import { READ_SAFELY } from '../files/read-contained.ts';
import { realRootOf } from '../files/real-root.ts';
import { Cancelled } from './command.ts';

/**
 * Shows whether a file was touched: every write changes its ctime, even one that restores
 * the previous content.
 */
export async function stampFile(root: string, file: string): Promise<string> {
  const realRoot = realRootOf(root);
  const absolute = path.join(realRoot, file);
  const real = realpathSync.native(absolute);
  if (pathInside(realRoot, real) === null) throw new Error(`'${file}' is outside the project root`);
  const links = real === absolute ? '' : stampLinks(realRoot, file);
  return `${real}:${describeStats(statSync(real))}${links}`;
}

/** Detects a link that pointed elsewhere for a while: it has another inode or ctime. */
function stampLinks(realRoot: string, file: string): string {
  let at = realRoot;
  return file
    .split('/')
    .map((part) => {
      at = path.join(at, part);
      const stats = lstatSync(at);
      return `:${stats.ino}:${stats.isSymbolicLink() ? stats.ctimeMs : ''}`;
    })
    .join('');
}

/** Waits until any later write would change the file's stamp. */
export async function untilConclusive(absolute: string): Promise<void> {
  const { ctimeMs } = statSync(absolute);
  const age = Date.now() - ctimeMs;
  if (age < TICK_MS)
    await new Promise((resolve) => setTimeout(resolve, TICK_MS - Math.max(0, age)));
}

/** Shared by all files that one call hashes. */
export interface Hashing {
  /** Aborts hashing when the call is cancelled. */
  readonly signal: AbortSignal;
  /** Bytes that may still be read. */
  left: number;
}

const MAX_HASHED_BYTES = 1024 * 1024 * 1024;
export const MAX_HASHED = '1 GiB';

export function openHashing(signal: AbortSignal): Hashing {
  return { signal, left: MAX_HASHED_BYTES };
}

/** sha256 (hex) of a file's bytes; null if there are more than this call may read. */
export async function hashFile(
  root: string,
  absolute: string,
  hashing: Hashing,
): Promise<string | null> {
  // Check the size first: a sparse file of terabytes is free to create but not to read.
  if (statSync(absolute).size > hashing.left) return null;
  const hash = createHash('sha256');
  await eachChunk(root, absolute, (chunk) => {
    if (hashing.signal.aborted) throw new Cancelled();
    hashing.left -= chunk.length;
    hash.update(chunk);
    return hashing.left >= 0;
  });
  return hashing.left < 0 ? null : hash.digest('hex');
}

/** A file's bytes, or null if there are more than `limit`. */
export async function readFileUpTo(
  root: string,
  absolute: string,
  limit: number,
): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  await eachChunk(root, absolute, (chunk) => {
    size += chunk.length;
    if (size <= limit) chunks.push(Buffer.from(chunk));
    return size <= limit;
  });
  return size > limit ? null : Buffer.concat(chunks);
}

const CHUNK = 256 * 1024;

/**
 * Resolves the path again, since a link may have replaced the file after it was found, and
 * opens the result without following another link.
 */
async function eachChunk(
  root: string,
  absolute: string,
  take: (chunk: Buffer) => boolean,
): Promise<void> {
  const real = realpathSync.native(absolute);
  if (pathInside(realRootOf(root), real) === null) {
    throw new Error(`'${absolute}' is outside the project root`);
  }
  const file = openSync(real, READ_SAFELY);
  try {
    const info = fstatSync(file);
    if (!info.isFile()) throw new Error(`'${absolute}' is not a regular file`);
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK, info.size + 1));
    for (;;) {
      const bytes = readSync(file, buffer, 0, buffer.length, null);
      // A short read of a regular file means its end.
      if (!take(buffer.subarray(0, bytes)) || bytes < buffer.length) return;
      // Do not block other work while a large file is read.
      if (sliceIsOver()) await nextSlice();
    }
  } finally {
    closeSync(file);
  }
}
