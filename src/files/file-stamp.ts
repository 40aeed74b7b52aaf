// Tells whether a file is still the one that was read, without reading it. The stats
// are taken before the read: a change that slips in between shows as a different stamp
// at the next look. It asks the system directly, because this runs for every file of
// every job at every listing, and the way through the thread pool costs four times the
// stat itself.

import { type Stats, statSync } from 'node:fs';

/** Times are in milliseconds, with fractions finer than any file system's clock ticks. */
export type Stamp = Pick<Stats, 'dev' | 'ino' | 'mode' | 'size' | 'mtimeMs' | 'ctimeMs'>;

export type Stamped =
  | { readonly kind: 'present'; readonly stamp: Stamp }
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed'; readonly error: NodeJS.ErrnoException };

export function stampFile(path: string): Stamped {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats === undefined ? ABSENT : { kind: 'present', stamp: stampOf(stats) };
  } catch (error) {
    return absence(error as NodeJS.ErrnoException);
  }
}

/** Whether it is the same file, unchanged; or as much not there as it was. */
export function sameStamp(a: Stamped, b: Stamped): boolean {
  if (a.kind === 'present' && b.kind === 'present') return isEqual(a.stamp, b.stamp);
  if (a.kind === 'failed' && b.kind === 'failed') return a.error.code === b.error.code;
  return a.kind === b.kind;
}

export function changedAt({ mtimeMs, ctimeMs }: Stamp): number {
  return Math.max(mtimeMs, ctimeMs);
}

const ABSENT: Stamped = { kind: 'absent' };

function absence(error: NodeJS.ErrnoException): Stamped {
  const gone = error.code === 'ENOENT' || error.code === 'ENOTDIR';
  return gone ? ABSENT : { kind: 'failed', error };
}

function stampOf({ dev, ino, mode, size, mtimeMs, ctimeMs }: Stats): Stamp {
  return { dev, ino, mode, size, mtimeMs, ctimeMs };
}

function isEqual(a: Stamp, b: Stamp): boolean {
  return (
    a.mtimeMs === b.mtimeMs &&
    a.ctimeMs === b.ctimeMs &&
    a.size === b.size &&
    a.mode === b.mode &&
    a.ino === b.ino &&
    a.dev === b.dev
  );
}
