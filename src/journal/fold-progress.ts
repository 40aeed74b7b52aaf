// How far this process has folded each stream's file, so that an append reads one line and
// not the whole file. It is keyed by the file's identity, so that a file that replaced another
// is folded from its beginning. A few earlier states are kept, too, because callers that lost
// a race continue from slightly further back.

import type { FileFacts } from './file-layer.ts';
import { FOLD_START, type FoldState } from './judge-lines.ts';

export interface FoldProgress {
  remember(stream: string, facts: FileFacts, state: FoldState): void;
  /** Facts taken after an own append: any other version from now on is a change. */
  confirm(stream: string, facts: FileFacts): void;
  /** The furthest state of this exact file, or the furthest that is not past `seq`. */
  recall(stream: string, facts: FileFacts, seq?: number): FoldState;
  /** Whether any event of this exact file was accepted. */
  knows(stream: string, facts: FileFacts): boolean;
  forget(stream: string): void;
}

interface Known {
  readonly identity: string;
  /** Of the file when it ended at the last state; null if that was not observed. */
  readonly version: string | null;
  /** Oldest first, never empty. */
  readonly states: readonly FoldState[];
}

const MAX_STREAMS = 1000;
const MAX_STATES = 32;

export function openProgress(): FoldProgress {
  const known = new Map<string, Known>();
  const last = (stream: string) => known.get(stream)?.states.at(-1) ?? FOLD_START;

  return {
    remember(stream, { identity, size, version }, state) {
      const before = known.get(stream);
      // The newest fold counts: states beyond it may be of a text that was replaced.
      const older = before?.identity === identity ? before.states : [];
      const states = [...older.filter(({ offset }) => offset < state.offset), state];
      known.delete(stream);
      known.set(stream, {
        identity,
        version: size === state.offset ? version || null : null,
        states: states.slice(-MAX_STATES),
      });
      const [oldest] = known.keys();
      if (known.size > MAX_STREAMS && oldest !== undefined) known.delete(oldest);
    },

    confirm(stream, { identity, size, version }) {
      const now = known.get(stream);
      if (now?.identity !== identity || last(stream).offset !== size) return;
      known.set(stream, { ...now, version });
    },

    recall(stream, { identity, size, version }, seq = Number.POSITIVE_INFINITY) {
      const before = known.get(stream);
      const { offset } = last(stream);
      // Modified but not longer: someone wrote into it, so it is read from the start.
      const altered = size === offset && before?.version !== null && before?.version !== version;
      if (before?.identity === identity && offset <= size && !altered) {
        return before.states.findLast((state) => state.seq <= seq) ?? FOLD_START;
      }
      known.delete(stream);
      return FOLD_START;
    },

    knows: (stream, { identity }) =>
      known.get(stream)?.identity === identity && last(stream).seq > 0,

    forget(stream) {
      known.delete(stream);
    },
  };
}
