// How far each stream's file was folded by this process: what makes an append cost one
// line of reading and not the whole file. It is kept under the identity of the file, so
// that a file that took another's name is folded from its beginning; and a few earlier
// states are kept beside the last, because callers that lost a race read on from a
// little way back.

import type { FileFacts } from './file-layer.ts';
import { type FoldState, START } from './fold.ts';

export interface Progress {
  remember(stream: string, facts: FileFacts, state: FoldState): void;
  /** Facts taken after an own append: from now on, any other version is news. */
  confirm(stream: string, facts: FileFacts): void;
  /** The furthest state of this very file, or the furthest that is not past `seq`. */
  recall(stream: string, facts: FileFacts, seq?: number): FoldState;
  /** Whether anything in this very file was accepted. */
  knows(stream: string, facts: FileFacts): boolean;
  forget(stream: string): void;
}

interface Known {
  readonly identity: string;
  /** Of the file when it ended where the last state does; null if that was not seen. */
  readonly version: string | null;
  /** Oldest first, never empty. */
  readonly states: readonly FoldState[];
}

const MAX_STREAMS = 1000;
const MAX_STATES = 32;

export function openProgress(): Progress {
  const known = new Map<string, Known>();
  const last = (stream: string) => known.get(stream)?.states.at(-1) ?? START;

  return {
    remember(stream, { identity, size, version }, state) {
      const before = known.get(stream);
      // The newest word counts: what is known beyond it may be of a text that was replaced.
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
      // Touched since, and not a byte longer: somebody wrote into it. It is read anew.
      const altered = size === offset && before?.version !== null && before?.version !== version;
      if (before?.identity === identity && offset <= size && !altered) {
        return before.states.findLast((state) => state.seq <= seq) ?? START;
      }
      known.delete(stream);
      return START;
    },

    knows: (stream, { identity }) =>
      known.get(stream)?.identity === identity && last(stream).seq > 0,

    forget(stream) {
      known.delete(stream);
    },
  };
}
