// Opens a stream's file and nothing else: a link, a FIFO, a folder or a device in its place
// is refused with a message, neither followed nor waited for.

import {
  codeOf,
  type FileFacts,
  type FileLayer,
  type OpenFile,
  type OpenFor,
} from './file-layer.ts';

export interface StreamFile {
  readonly file: OpenFile;
  readonly facts: FileFacts;
}

// Error codes for opening a link, a folder or a socket, on various systems.
const ODD = new Set(['ELOOP', 'EMLINK', 'EISDIR', 'ENXIO', 'EOPNOTSUPP']);

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
    if (codeOf(error) === 'ENOENT' && openFor !== 'creating') return null;
    throw ODD.has(codeOf(error)) ? notRegular(stream, error) : error;
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

function notRegular(stream: string, cause?: unknown): Error {
  return new Error(`Journal of '${stream}' is not a regular file; it was not changed`, { cause });
}
