// Opens a stream's file and nothing else: a link, a FIFO, a folder or a device in its place
// is refused with a message, neither followed nor waited for.

import { errorCode } from '../files/system-errors.ts';
import type { FileFacts, FileLayer, OpenFile, OpenFor } from './file-layer.ts';

export interface StreamFile {
  readonly file: OpenFile;
  readonly facts: FileFacts;
}

// Error codes for opening a link, a folder or a socket, on various systems.
const NOT_REGULAR = new Set(['ELOOP', 'EMLINK', 'EISDIR', 'ENXIO', 'EOPNOTSUPP']);

/** Null if there is no file of that name. */
export async function openStreamFile(
  layer: FileLayer,
  stream: string,
  path: string,
  openFor: OpenFor,
): Promise<StreamFile | null> {
  let file: OpenFile;
  try {
    file = await layer.open(path, openFor);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' && openFor !== 'creating') return null;
    throw NOT_REGULAR.has(errorCode(error)) ? notRegular(stream, error) : error;
  }
  try {
    const facts = await file.facts();
    if (facts.kind !== 'file') throw notRegular(stream);
    return { file, facts };
  } catch (error) {
    await closeQuietly(file);
    throw error;
  }
}

// Everything important is synced before; a failing close must not turn success into failure.
export async function closeQuietly(file: OpenFile): Promise<void> {
  await file.close().catch(() => {});
}

/**
 * A line that was written in part. The system gives no reason for a short write. On a disk it means
 * that there is no space left.
 */
export function cutShort(written: number, of: number): Error {
  const message = `ENOSPC: only ${written} of ${of} bytes could be written, write`;
  return Object.assign(new Error(message), { code: 'ENOSPC' });
}

/** For a file that no one else writes to: a write may be short. */
export async function writeAll(file: OpenFile, bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length; ) done += await file.write(bytes.subarray(done));
}

function notRegular(stream: string, cause?: unknown): Error {
  return new Error(`Journal of '${stream}' is not a regular file; it was not changed`, { cause });
}
