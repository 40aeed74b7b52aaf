// Texts of files that were read before: while a file is the very same, one look at it takes
// the place of finding, opening and reading it. The way to it need not be judged again
// either, for its text is the one that it had when it was allowed. What was longest not
// asked for is forgotten first.

import { isSettled } from './clock-tick.ts';
import { changedAt, type Stamped, sameStamp, stampFile } from './file-stamp.ts';

export interface TextCache {
  /** What was kept under the key, if the file at `path` has not changed since. */
  recall(key: string, path: string): string | null;
  /** `stamped` was taken before the text was read, at `readAt`. */
  keep(key: string, text: string, stamped: Stamped, readAt: number): void;
}

export function openTextCache(mostCharacters: number): TextCache {
  const kept = new Map<string, { text: string; stamped: Stamped }>();
  let size = 0;

  function forget(key: string): void {
    size -= kept.get(key)?.text.length ?? 0;
    kept.delete(key);
  }

  return {
    recall(key, path) {
      const known = kept.get(key);
      if (known === undefined || !sameStamp(known.stamped, stampFile(path))) return null;
      kept.delete(key);
      kept.set(key, known);
      return known.text;
    },

    keep(key, text, stamped, readAt) {
      forget(key);
      if (stamped.kind !== 'present' || !isSettled(changedAt(stamped.stamp), readAt)) return;
      kept.set(key, { text, stamped });
      size += text.length;
      for (const oldest of kept.keys()) {
        if (size <= mostCharacters) return;
        forget(oldest);
      }
    },
  };
}
