// Reads a stream's file from a known state to its end, in chunks, and folds each.
// The offset of the state is all that is carried from chunk to chunk: a line that did
// not fit is simply read again with the next chunk. Memory is bounded by one chunk, or
// by one line where a line is longer; and between chunks, others are let in.

import { nextSlice, sliceIsOver } from '../async/slices.ts';
import type { OpenFile } from './file-layer.ts';
import { type Folded, type FoldState, fold } from './fold.ts';
import { isIntact, MAX_RECORD_BYTES, NEWLINE, TAB } from './line.ts';
import type { Proof } from './seal.ts';

const SMALLEST = 4096;
// So small that the events of one chunk are forgotten before they are worth collecting.
const CHUNK = 64 * 1024;
const LARGEST = MAX_RECORD_BYTES + 2;

/** `expected` is how many bytes there should be: a hint that saves memory and a read. */
export async function* scan(
  file: OpenFile,
  from: FoldState,
  expected: number,
  proof: Proof,
): AsyncGenerator<Folded, void, undefined> {
  let state = from;
  let buffer = Buffer.allocUnsafe(Math.min(CHUNK, Math.max(SMALLEST, expected + 1)));
  for (;;) {
    const count = await file.read(buffer, state.offset);
    const atEnd = count < buffer.length;
    const folded = fold(state, buffer.subarray(0, count), atEnd, proof);
    yield folded;
    if (sliceIsOver()) await nextSlice();
    if (atEnd || folded.damage !== null || folded.state.closed) return;
    if (folded.state.offset === state.offset) {
      buffer = Buffer.allocUnsafe(Math.min(LARGEST, buffer.length * 4));
    }
    state = folded.state;
  }
}

/** A file may be of any size, and nothing but its own word says that it is a journal. */
const MAX_LOOKED_AT = 2 * LARGEST;

/** Whether any line of the file is proved, wherever it stands in its first 32 MiB. */
export async function holdsProvedLine(file: OpenFile, proof: Proof): Promise<boolean> {
  let buffer = Buffer.allocUnsafe(CHUNK);
  for (let offset = 0; offset < MAX_LOOKED_AT; ) {
    const bytes = buffer.subarray(0, await file.read(buffer, offset));
    let at = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, at)) {
      const from = bytes.subarray(at, end).lastIndexOf(TAB) + 1;
      if (isIntact(bytes, proof, at + from, end)) return true;
      at = end + 1;
    }
    if (bytes.length < buffer.length) return false;
    if (at === 0 && buffer.length < LARGEST) {
      buffer = Buffer.allocUnsafe(Math.min(LARGEST, buffer.length * 4));
    } else {
      offset += at === 0 ? bytes.length : at;
    }
  }
  return false;
}
