// Reads a stream's file from a known state to its end, in chunks, and folds each. Only the
// state's offset carries over: a line that did not fit is read again with the next chunk.
// Memory is bounded by one chunk, or by one line if that is longer. Other work may run between
// chunks.

import { nextSlice, sliceIsOver } from '../async/slices.ts';
import type { OpenFile } from './file-layer.ts';
import { type Folded, type FoldState, fold } from './judge-lines.ts';
import { isIntact, MAX_RECORD_BYTES, NEWLINE, TAB } from './line.ts';
import type { ExpectedHash } from './seal.ts';

// Most reads go on from a known state and find one event. Most reads find one event, so a larger buffer would be thrown away after each call.
const FIRST_CHUNK = 4096;
// Small enough that the events of one chunk die young and cost no garbage collection.
const CHUNK = 64 * 1024;
const MAX_CHUNK = MAX_RECORD_BYTES + 2;

/** What scanning needs of a file, which may be part of a larger one. */
export type Readable = Pick<OpenFile, 'read'>;

export async function* scan(
  file: Readable,
  from: FoldState,
  proof: ExpectedHash,
): AsyncGenerator<Folded, void, undefined> {
  let state = from;
  let buffer = Buffer.allocUnsafe(FIRST_CHUNK);
  for (;;) {
    const count = await file.read(buffer, state.offset);
    const atEnd = count < buffer.length;
    const folded = fold(state, buffer.subarray(0, count), atEnd, proof);
    yield folded;
    if (sliceIsOver()) await nextSlice();
    if (atEnd || folded.damage !== null || folded.state.closed) return;
    if (buffer.length < CHUNK) {
      buffer = Buffer.allocUnsafe(CHUNK);
    } else if (folded.state.offset === state.offset) {
      buffer = Buffer.allocUnsafe(Math.min(MAX_CHUNK, buffer.length * 4));
    }
    state = folded.state;
  }
}

/** A file may have any size, and need not be a journal at all. */
const MAX_SEARCHED = 2 * MAX_CHUNK;

/** Whether any line in the first 32 MiB of the file is proved. */
export async function holdsProvedLine(file: Readable, proof: ExpectedHash): Promise<boolean> {
  let buffer = Buffer.allocUnsafe(CHUNK);
  for (let offset = 0; offset < MAX_SEARCHED; ) {
    const bytes = buffer.subarray(0, await file.read(buffer, offset));
    let at = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, at)) {
      const from = bytes.subarray(at, end).lastIndexOf(TAB) + 1;
      if (isIntact(bytes, proof, at + from, end)) return true;
      at = end + 1;
    }
    if (bytes.length < buffer.length) return false;
    if (at === 0 && buffer.length < MAX_CHUNK) {
      buffer = Buffer.allocUnsafe(Math.min(MAX_CHUNK, buffer.length * 4));
    } else {
      offset += at === 0 ? bytes.length : at;
    }
  }
  return false;
}
