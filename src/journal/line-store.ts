// The interface of a journal for copying (`copy-streams.ts`): streams of sealed lines. Files and
// PostgreSQL each implement it.

import type { StreamPosition } from './journal.ts';

/** A line as it is stored: the text between tab and newline of a file's line. */
export interface StoredLine extends StreamPosition {
  readonly text: string;
}

export interface Head extends StreamPosition {
  readonly stream: string;
}

export interface LineStore {
  /** The key that its lines are sealed with. */
  key(): Promise<Buffer>;
  /** Every stream with the number and hash of its last event, in name order. */
  heads(): Promise<readonly Head[]>;
  /** Lines after that one, oldest first, each proved. */
  lines(stream: string, afterSeq: number): AsyncIterable<StoredLine>;
  /** Adds lines that continue a stream; throws `StreamMoved` if it does not end before them. */
  put(stream: string, lines: AsyncIterable<StoredLine>): Promise<void>;
}

/** Thrown if others wrote to a stream while it was being copied. */
export class StreamMoved extends Error {
  override readonly name = 'StreamMoved';

  constructor(stream: string) {
    super(
      `'${stream}' was written to while it was being copied. Stop the servers of this project and copy again: it continues from here`,
    );
  }
}
