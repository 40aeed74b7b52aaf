// Proves offline what a stream's file holds: every line is read, every hash computed,
// every link of the chain compared, by the same fold that all readers use. Unlike a
// reader it changes nothing: what is damaged is told and stays where it is.

import { join, resolve } from 'node:path';
import { type FileLayer, realFileLayer } from './file-layer.ts';
import { type Damage, type FoldState, START } from './fold.ts';
import { scan } from './scan.ts';
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
}

/** Null if there is no such stream. */
export async function verifyStream(
  folder: string,
  stream: string,
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
    for await (const folded of scan(file, START, facts.size)) {
      ({ state, damage } = folded);
      voids += folded.voids;
    }
    const unfinished = damage === null ? Math.max(0, facts.size - state.offset) : 0;
    return { stream, events: state.seq, voids, hash: state.hash, unfinished, damage };
  } finally {
    await closeQuietly(file);
  }
}
