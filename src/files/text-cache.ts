// Texts of files that were read before: while a file is unchanged, one fingerprint replaces
// finding, opening and reading it. Its path need not be checked again either, because the text
// is the one it had when it was allowed. The least recently used text is dropped first.

import {
  changedTooRecently,
  type Fingerprint,
  sameFingerprint,
  takeFingerprint,
} from './fingerprint.ts';

export interface TextCache {
  /** The text kept under the key, if the file at `path` has not changed since. */
  recall(key: string, path: string): string | null;
  /** `print` was taken before the text was read, at `readAt`. */
  keep(key: string, text: string, print: Fingerprint, readAt: number): void;
}

export function openTextCache(maxCharacters: number): TextCache {
  const kept = new Map<string, { text: string; print: Fingerprint }>();
  let size = 0;

  function forget(key: string): void {
    size -= kept.get(key)?.text.length ?? 0;
    kept.delete(key);
  }

  return {
    recall(key, path) {
      const known = kept.get(key);
      if (known === undefined || !sameFingerprint(known.print, takeFingerprint(path))) return null;
      kept.delete(key);
      kept.set(key, known);
      return known.text;
    },

    keep(key, text, print, readAt) {
      forget(key);
      if (print.kind !== 'present' || changedTooRecently(print, readAt)) return;
      kept.set(key, { text, print });
      size += text.length;
      for (const oldest of kept.keys()) {
        if (size <= maxCharacters) return;
        forget(oldest);
      }
    },
  };
}
