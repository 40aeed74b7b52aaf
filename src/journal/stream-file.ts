// Opens a stream's file, and nothing that only has its name: a link, a FIFO, a folder
// or a device in its place is refused with a sentence, neither followed nor waited for.

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

// What opening a link, a folder or a socket is answered with, on one system or another.
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

// Whatever matters was synced before; a failing close must not turn a yes into a no.
export async function closeQuietly(file: OpenFile): Promise<void> {
  await file.close().catch(() => {});
}

function notRegular(stream: string, cause?: unknown): Error {
  return new Error(`Journal of '${stream}' is not a regular file; it was left alone`, { cause });
}
