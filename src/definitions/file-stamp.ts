// Tells whether a file is still the one that was read, without reading it. The stats
// are taken before the read: a change that slips in between shows as a different stamp
// at the next look. It asks the system directly, because this runs for every file of
// every job at every listing, and the way through the thread pool costs four times the
// stat itself.

import { type Stats, statSync } from 'node:fs';

export interface Stamp {
  /** Equal keys mean the same file, unchanged. */
  readonly key: string;
  /** Later of the two change times, in milliseconds. */
  readonly changedAt: number;
}

export type Stamped =
  | { readonly kind: 'present'; readonly stamp: Stamp }
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed'; readonly error: NodeJS.ErrnoException };

/** The stamps of all paths, in their order. */
export function stampFiles(paths: readonly string[]): Stamped[] {
  return paths.map(stampFile);
}

function stampFile(path: string): Stamped {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats === undefined ? { kind: 'absent' } : { kind: 'present', stamp: stampOf(stats) };
  } catch (error) {
    return absence(error as NodeJS.ErrnoException);
  }
}

export function sameStamp(a: Stamped | undefined, b: Stamped | undefined): boolean {
  return stampKey(a) === stampKey(b);
}

export function stampKey(stamped: Stamped | undefined): string {
  if (stamped?.kind === 'present') return stamped.stamp.key;
  return stamped?.kind === 'failed' ? `failed ${stamped.error.code}` : 'absent';
}

function absence(error: NodeJS.ErrnoException): Stamped {
  const gone = error.code === 'ENOENT' || error.code === 'ENOTDIR';
  return gone ? { kind: 'absent' } : { kind: 'failed', error };
}

/** Times in milliseconds carry fractions, finer than any file system's clock ticks. */
function stampOf(stats: Stats): Stamp {
  const { dev, ino, size, mode, mtimeMs, ctimeMs } = stats;
  return {
    key: `${dev}:${ino}:${mode}:${size}:${mtimeMs}:${ctimeMs}`,
    changedAt: Math.max(mtimeMs, ctimeMs),
  };
}
