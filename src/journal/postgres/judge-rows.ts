// Verifies rows: each line is proved under the workspace's key, has the number of its row, and
// continues the line before it. The requirements are the same as for the lines of a file.

import type { StoredEvent, StreamPosition } from '../journal.ts';
import { isIntact, NO_HASH, readEvent } from '../line.ts';
import type { StoredLine } from '../line-store.ts';
import type { ExpectedHash } from '../seal.ts';

export const START: StreamPosition = { seq: 0, hash: NO_HASH };

/** The event of a line; or why it proves damage. */
export function judgeRow(
  line: StoredLine,
  after: StreamPosition,
  proof: ExpectedHash,
): StoredEvent | string {
  const bytes = Buffer.from(line.text);
  if (!isIntact(bytes, proof)) return 'the text is not what was written';
  const event = readEvent(bytes);
  if (event === null) return 'the line is not an event';
  if (event.seq !== line.seq) return `event ${event.seq} is stored as number ${line.seq}`;
  if (event.seq !== after.seq + 1) return `event ${event.seq} follows event ${after.seq}`;
  if (event.prev !== after.hash) return `event ${event.seq} does not continue the event before it`;
  return event;
}
