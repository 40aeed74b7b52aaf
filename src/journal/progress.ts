// How far each stream's file was folded by this process: what makes an append cost one
// line of reading and not the whole file. It is kept under the identity of the file, so
// that a file that took another's name is folded from its beginning; and a few earlier
// states are kept beside the last, because callers that lost a race read on from a
// little way back.

import type { FileFacts } from './file-layer.ts';
import { type FoldState, START } from './fold.ts';

export interface Progress {
  remember(stream: string, facts: FileFacts, state: FoldState): void;
  /** The furthest state of this very file, or the furthest that is not past `seq`. */
  recall(stream: string, facts: FileFacts, seq?: number): FoldState;
  /** The sequence number that was last seen; 0 if nothing is known. */
  lastSeq(stream: string): number;
  forget(stream: string): void;
}

interface Known {
  readonly identity: string;
  /** Oldest first, never empty. */
  readonly states: readonly FoldState[];
}

const MAX_STREAMS = 1000;
const MAX_STATES = 32;

export function openProgress(): Progress {
  const known = new Map<string, Known>();
  const last = (stream: string) => known.get(stream)?.states.at(-1) ?? START;

  return {
    remember(stream, { identity }, state) {
      const before = known.get(stream);
      // The newest word counts: what is known beyond it may be of a text that was replaced.
      const older = before?.identity === identity ? before.states : [];
      const states = [...older.filter(({ offset }) => offset < state.offset), state];
      known.delete(stream);
      known.set(stream, { identity, states: states.slice(-MAX_STATES) });
      const [oldest] = known.keys();
      if (known.size > MAX_STREAMS && oldest !== undefined) known.delete(oldest);
    },

    recall(stream, { identity, size }, seq = Number.POSITIVE_INFINITY) {
      const before = known.get(stream);
      if (before?.identity === identity && last(stream).offset <= size) {
        return before.states.findLast((state) => state.seq <= seq) ?? START;
      }
      known.delete(stream);
      return START;
    },

    lastSeq: (stream) => last(stream).seq,

    forget(stream) {
      known.delete(stream);
    },
  };
}
