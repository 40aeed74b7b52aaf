// Proves offline what a stream's file holds: every line is read, every hash computed,
// every link of the chain compared, by the same fold that all readers use. Unlike a
// reader it changes nothing: what is damaged is reported and stays where it is. It takes
// the key of the user who wrote the stream: without it nothing can be proved.

import { join, resolve } from 'node:path';
import { type FileLayer, realFileLayer } from './file-layer.ts';
import { type Damage, type FoldState, START } from './fold.ts';
import { holdsProvedLine, scan } from './scan.ts';
import { sealOf } from './seal.ts';
import { closeQuietly, openStreamFile } from './stream-file.ts';
import { checkStreamName, fileOf } from './stream-name.ts';

export interface Verified {
  readonly stream: string;
  /** Accepted events, up to the damage if there is any. */
  readonly events: number;
  /** Lost races, torn and blank lines: there, and without effect. */
  readonly voids: number;
  /** Hash of the last accepted event: whoever wrote it down before can compare. */
  readonly hash: string;
  /** Bytes at the end that are no line yet. */
  readonly unfinished: number;
  /** The first damage, or null: nothing was altered. */
  readonly damage: Damage | null;
  /** No line of it was written under this key. */
  readonly foreign: boolean;
}

/** Null if there is no such stream. */
export async function verifyStream(
  folder: string,
  stream: string,
  key: Buffer,
  layer: FileLayer = realFileLayer,
): Promise<Verified | null> {
  checkStreamName(stream);
  const path = join(resolve(folder), fileOf(stream));
  const opened = await openStreamFile(layer, stream, path, 'reading');
  if (opened === null) return null;
  const { file, facts } = opened;
  try {
    let state: FoldState = START;
    let voids = 0;
    let damage: Damage | null = null;
    const { sign } = sealOf(key, stream);
    for await (const folded of scan(file, START, facts.size, sign)) {
      ({ state, damage } = folded);
      voids += folded.voids;
    }
    const read = damage !== null || state.closed;
    const unfinished = read ? 0 : Math.max(0, facts.size - state.offset);
    const foreign = damage !== null && state.seq === 0 && !(await holdsProvedLine(file, sign));
    const { seq: events, hash } = state;
    return { stream, events, voids, hash, unfinished, damage, foreign };
  } finally {
    await closeQuietly(file);
  }
}
