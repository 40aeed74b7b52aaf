// Reads a stream's file from a known state to its end, in chunks, and folds each.
// The offset of the state is all that is carried from chunk to chunk: a line that did
// not fit is simply read again with the next chunk. Memory is bounded by one chunk, or
// by one line where a line is longer; and between chunks, others are let in.

import { nextSlice, sliceIsOver } from '../async/slices.ts';
import type { OpenFile } from './file-layer.ts';
import { type Folded, type FoldState, fold } from './fold.ts';
import { MAX_RECORD_BYTES } from './line.ts';

const SMALLEST = 4096;
// So small that the events of one chunk are forgotten before they are worth collecting.
const CHUNK = 64 * 1024;
const LARGEST = MAX_RECORD_BYTES + 2;

/** `expected` is how many bytes there should be: a hint that saves memory and a read. */
export async function* scan(
  file: OpenFile,
  from: FoldState,
  expected: number,
): AsyncGenerator<Folded, void, undefined> {
  let state = from;
  let buffer = Buffer.allocUnsafe(Math.min(CHUNK, Math.max(SMALLEST, expected + 1)));
  for (;;) {
    const count = await file.read(buffer, state.offset);
    const atEnd = count < buffer.length;
    const folded = fold(state, buffer.subarray(0, count), atEnd);
    yield folded;
    if (sliceIsOver()) await nextSlice();
    if (atEnd || folded.damage !== null) return;
    if (folded.state.offset === state.offset) {
      buffer = Buffer.allocUnsafe(Math.min(LARGEST, buffer.length * 4));
    }
    state = folded.state;
  }
}
