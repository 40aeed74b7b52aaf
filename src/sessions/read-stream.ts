// Reads a whole stream without changing it, with the facts that an archive records.

import path from 'node:path';
import type { ArchivedStream } from '../journal/archive.ts';
import type { FileLayer } from '../journal/file-layer.ts';
import type { StoredEvent } from '../journal/journal.ts';
import { FOLD_START } from '../journal/judge-lines.ts';
import { scan } from '../journal/scan.ts';
import { sealOf } from '../journal/seal.ts';
import { closeQuietly, openStreamFile } from '../journal/stream-file.ts';
import { fileOf } from '../journal/stream-name.ts';

export interface ReadStream extends ArchivedStream {
  /** Identifies the file that was read. */
  readonly identity: string;
}

/** Null if there is none, it is damaged, or it is not this user's. */
export async function readStream(
  folder: string,
  stream: string,
  key: Buffer,
  layer: FileLayer,
  take: (event: StoredEvent) => void,
): Promise<ReadStream | null> {
  const opened = await openStreamFile(layer, stream, path.join(folder, fileOf(stream)), 'reading');
  if (opened === null) return null;
  const { file, facts } = opened;
  try {
    let state = FOLD_START;
    for await (const folded of scan(file, FOLD_START, facts.size, sealOf(key, stream).sign)) {
      if (folded.damage !== null) return null;
      for (const event of folded.events) take(event);
      ({ state } = folded);
    }
    const { seq: events, hash, line: lines, offset: bytes } = state;
    return { stream, bytes, lines, events, hash, identity: facts.identity };
  } finally {
    await closeQuietly(file);
  }
}
