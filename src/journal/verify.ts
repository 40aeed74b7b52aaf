// Verifies a stream's file offline: every line is read, every hash computed, every link of
// the chain compared, by the same fold that all readers use. Unlike a reader it changes
// nothing: damage is reported and stays where it is. It needs the key of the user who wrote
// the stream.

import { join, resolve } from 'node:path';
import { type FileLayer, realFileLayer } from './file-layer.ts';
import type { StoredEvent } from './journal.ts';
import { type Damage, FOLD_START, type FoldState } from './judge-lines.ts';
import { holdsProvedLine, type Readable, scan } from './scan.ts';
import { sealOf } from './seal.ts';
import { closeQuietly, openStreamFile } from './stream-file.ts';
import { checkStreamName, fileOf } from './stream-name.ts';

export interface Verified {
  readonly stream: string;
  /** Accepted events, up to the damage if there is any. */
  readonly events: number;
  /** Lost races, torn and blank lines, which have no effect. */
  readonly voids: number;
  /** Hash of the last accepted event, to compare with one noted earlier. */
  readonly hash: string;
  /** Whole lines and their bytes, up to the damage or the line that closes the file. */
  readonly lines: number;
  readonly bytes: number;
  /** The time of the last accepted event; null if there is none. */
  readonly lastAt: string | null;
  /** Bytes at the end that are not a complete line yet. */
  readonly unfinished: number;
  /** The first damage; null if nothing was altered. */
  readonly damage: Damage | null;
  /** No line was written under this key. */
  readonly foreign: boolean;
}

/** Null if there is no such stream. */
export async function verifyStream(
  folder: string,
  stream: string,
  key: Buffer,
  layer: FileLayer = realFileLayer,
  /** Gets every accepted event. */
  take: (event: StoredEvent) => void = () => {},
): Promise<(Verified & { readonly identity: string }) | null> {
  checkStreamName(stream);
  const path = join(resolve(folder), fileOf(stream));
  const opened = await openStreamFile(layer, stream, path, 'reading');
  if (opened === null) return null;
  try {
    const verified = await verifyBytes(opened.file, opened.facts.size, stream, key, take);
    return { ...verified, identity: opened.facts.identity };
  } finally {
    await closeQuietly(opened.file);
  }
}

/** The same for a stream that is part of a file. */
export async function verifyBytes(
  bytes: Readable,
  size: number,
  stream: string,
  key: Buffer,
  take: (event: StoredEvent) => void = () => {},
): Promise<Verified> {
  let state: FoldState = FOLD_START;
  let voids = 0;
  let damage: Damage | null = null;
  let lastAt: string | null = null;
  const { sign } = sealOf(key, stream);
  for await (const folded of scan(bytes, FOLD_START, sign)) {
    ({ state, damage } = folded);
    for (const event of folded.events) take(event);
    lastAt = folded.events.at(-1)?.at ?? lastAt;
    voids += folded.voids;
  }
  const read = damage !== null || state.closed;
  const unfinished = read ? 0 : Math.max(0, size - state.offset);
  const foreign = damage !== null && state.seq === 0 && !(await holdsProvedLine(bytes, sign));
  const { seq: events, hash, line: lines, offset } = state;
  return {
    stream,
    events,
    voids,
    hash,
    lines,
    bytes: offset,
    lastAt,
    unfinished,
    damage,
    foreign,
  };
}
