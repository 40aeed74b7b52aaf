// The files that a step hands in. A path is judged by where it really leads: links are
// followed and must end at a regular file inside the project.

import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { shown } from '../core/wording.ts';

export type Found =
  /** `path` is relative to the project root, with `/`, as it is stored and shown. */
  | { readonly kind: 'file'; readonly path: string; readonly absolute: string }
  | { readonly kind: 'problem'; readonly problem: string };

export async function findFile(root: string, given: string): Promise<Found> {
  if (given.trim() === '') return problem('path is empty');
  if (given.includes('\0'))
    return problem(`file not found at '${shown(given.replaceAll('\0', '\\0'))}'`);
  const realRoot = await realpath(root);
  const absolute = path.resolve(root, given);
  const relative = inside(root, absolute) ?? inside(realRoot, absolute);
  // Judged before the disk is asked, so that nobody learns what exists elsewhere.
  if (relative === null) return problem(`'${shown(given)}' is outside the project root`);
  try {
    const real = await realpath(path.join(realRoot, relative));
    if (inside(realRoot, real) === null)
      return problem(`'${shown(given)}' is outside the project root`);
    const info: Stats = await stat(real);
    if (!info.isFile()) return problem(`'${shown(given)}' is not a regular file`);
  } catch {
    return problem(`file not found at '${shown(given)}'`);
  }
  return {
    kind: 'file',
    path: relative.split(path.sep).join('/'),
    absolute: path.join(realRoot, relative),
  };
}

/**
 * Tells whether a file was touched: any write changes its ctime, also one that puts the
 * former content back.
 */
export async function stampFile(absolute: string): Promise<string> {
  const { ino, size, mtimeNs, ctimeNs } = await stat(absolute, { bigint: true });
  return `${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

/** Coarser than the tick by which file systems tell times apart. */
const TICK_MS = 20;

/** Waits until a write from now on would be seen in the file's stamp. */
export async function settleFile(absolute: string): Promise<void> {
  const { ctimeMs } = await stat(absolute);
  const age = Date.now() - ctimeMs;
  if (age < TICK_MS)
    await new Promise((resolve) => setTimeout(resolve, TICK_MS - Math.max(0, age)));
}

/** sha256 (hex) of a file's bytes. */
export async function hashFile(absolute: string): Promise<string> {
  const hash = createHash('sha256');
  await eachChunk(absolute, (chunk) => {
    hash.update(chunk);
    return true;
  });
  return hash.digest('hex');
}

/** A file's bytes, or null if there are more than `limit`. */
export async function readFileUpTo(absolute: string, limit: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  await eachChunk(absolute, (chunk) => {
    size += chunk.length;
    if (size <= limit) chunks.push(Buffer.from(chunk));
    return size <= limit;
  });
  return size > limit ? null : Buffer.concat(chunks);
}

const CHUNK = 256 * 1024;

async function eachChunk(absolute: string, take: (chunk: Buffer) => boolean): Promise<void> {
  // Without O_NONBLOCK, opening a FIFO that was put there meanwhile would hang for ever.
  const file = await open(absolute, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new Error(`'${absolute}' is not a regular file`);
    const buffer = Buffer.allocUnsafe(CHUNK);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK, null);
      if (bytesRead === 0 || !take(buffer.subarray(0, bytesRead))) return;
    }
  } finally {
    await file.close();
  }
}

function inside(root: string, absolute: string): string | null {
  const relative = path.relative(root, absolute);
  const out =
    relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
  return out ? null : relative;
}

function problem(text: string): Found {
  return { kind: 'problem', problem: text };
}
