// Whether rows are what was written: each line is proved under the workspace's key, has the
// number of its row, and continues the line before it. The same demands as of a file's lines.

import type { StoredEvent } from '../journal.ts';
import { isIntact, NO_HASH, readEvent } from '../line.ts';
import type { StoredLine } from '../line-store.ts';
import type { Proof } from '../seal.ts';
import type { Head } from './heads.ts';

export const START: Head = { seq: 0, hash: NO_HASH };

/** The event of a line; or why it proves damage. */
export function judgeRow(line: StoredLine, after: Head, proof: Proof): StoredEvent | string {
  const bytes = Buffer.from(line.text);
  if (!isIntact(bytes, proof)) return 'the text is not what was written';
  const event = readEvent(bytes);
  if (event === null) return 'the line is not an event';
  if (event.seq !== line.seq) return `event ${event.seq} is stored as number ${line.seq}`;
  if (event.seq !== after.seq + 1) return `event ${event.seq} follows event ${after.seq}`;
  if (event.prev !== after.hash) return `event ${event.seq} does not continue the event before it`;
  return event;
}
