// Handles a stream's file that the disk failed to sync. After such an error the system may
// drop what it could not write, still show it to readers, and let the next sync succeed: a
// later line could be acknowledged although it builds on a lost one. So nothing may be
// appended to that file any more. The process that got the error *closes* it with a line that
// voids all later lines, for every process; the next append replaces the file with a synced
// copy of everything before that line.
//
// Several processes may do that at once, and appends to the copy start as soon as it is in
// place, so no second copy may ever replace the first. The first copy to get the claim's name,
// by `link`, wins; every process puts this one file in place, and renaming a file over itself
// changes nothing. The claim's name is removed only when the copy is in place; a process that
// claims it after that finds another file under the stream's name, and stops.

import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { errorCode } from '../files/system-errors.ts';
import type { FileLayer, OpenFile } from './file-layer.ts';
import { FOLD_START, type FoldState } from './judge-lines.ts';
import { checkEvent, type Line, writeLine } from './line.ts';
import { scan } from './scan.ts';
import type { ExpectedHash, Seal } from './seal.ts';
import { closeQuietly, type StreamFile, writeAll } from './stream-file.ts';

const CHUNK = 256 * 1024;

/** The line that closes a file. */
export function closingLine(seal: Seal, { hash }: FoldState): Line {
  const at = new Date().toISOString();
  return writeLine(checkEvent({ type: 'closed', at, data: {} }), 0, hash, seal);
}

/** Replaces a closed file with a copy of it up to where it was closed. */
export async function renew(
  layer: FileLayer,
  path: string,
  { file, facts }: StreamFile,
  state: FoldState,
  proof: ExpectedHash,
): Promise<void> {
  const claim = `${path}.${facts.identity.replace(/[^0-9]/g, '-')}.next`;
  const own = `${path}.${randomBytes(6).toString('hex')}`;
  const copy = `${own}.new`;
  const ready = `${own}.ready`;
  try {
    await makeCopy(layer, copy, file, state, proof);
    await layer.link(copy, claim).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
    });
  } finally {
    await layer.removeName(copy).catch(() => {});
  }
  if ((await layer.facts(path))?.identity === facts.identity) {
    try {
      await layer.link(claim, ready);
      await layer.replace(ready, path);
    } catch (error) {
      // Another process has finished first.
      if (errorCode(error) !== 'ENOENT') throw error;
    } finally {
      await layer.removeName(ready).catch(() => {});
    }
  }
  await layer.syncFolder(dirname(path));
  await layer.removeName(claim).catch(() => {});
}

async function makeCopy(
  layer: FileLayer,
  path: string,
  from: OpenFile,
  { seq, hash, offset }: FoldState,
  proof: ExpectedHash,
): Promise<void> {
  const copy = await layer.open(path, 'making');
  try {
    for (let at = 0; at < offset; ) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK, offset - at));
      const count = await from.read(chunk, at);
      if (count === 0) break;
      await writeAll(copy, chunk.subarray(0, count));
      at += count;
    }
    await copy.sync();
    // The system may have dropped content it showed a moment ago: the copy must be complete.
    let last = FOLD_START;
    for await (const { state } of scan(copy, FOLD_START, proof)) last = state;
    if (last.seq !== seq || last.hash !== hash) {
      const message = `EIO: the journal's file changed while it was copied, read '${path}'`;
      throw Object.assign(new Error(message), { code: 'EIO' });
    }
  } finally {
    await closeQuietly(copy);
  }
}
