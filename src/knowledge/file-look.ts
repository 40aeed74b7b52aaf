// What can be seen of a file or folder without opening it: enough to tell whether it is
// still the one that was read. It asks the system directly; the way through the thread
// pool costs several times the look itself.

import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs';

export interface Look {
  /** Equal keys mean the same thing, unchanged, if `isSettled` said so at the first. */
  readonly key: string;
  readonly changedAt: number;
  /** It can change without anything happening in its folder: a link, or one of several names. */
  readonly remote: boolean;
}

/** Null if there is nothing. Where a link ends belongs to what is seen of it. */
export function lookAtFile(path: string): Look | null {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return null;
    if (!stats.isSymbolicLink()) return lookOf(stats, stats.nlink > 1);
    const target = statSync(path, { throwIfNoEntry: false });
    if (target === undefined) return { ...lookOf(stats, true), key: `${keyOf(stats)} nowhere` };
    const key = `${keyOf(stats)} ${keyOf(target)} ${realpathSync.native(path)}`;
    const changedAt = Math.max(changeOf(stats), changeOf(target));
    return { key, changedAt, remote: true };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return { key: code, changedAt: Number.POSITIVE_INFINITY, remote: true };
  }
}

export function lookOf(stats: Stats, remote: boolean): Look {
  return { key: keyOf(stats), changedAt: changeOf(stats), remote };
}

/** The same folder, whatever happened in it. A number freed by one may be given to the next. */
export function identityOf({ dev, ino, birthtimeMs }: Stats): string {
  return `${dev}:${ino}:${birthtimeMs}`;
}

const FINE_MS = 100;
const COARSE_MS = 2500;

/**
 * Whether a further change would be sure to show: two changes within one tick of the file
 * system's clock look the same. A time in whole seconds may come from a coarse clock.
 */
export function isSettled({ changedAt }: Look, readAt: number): boolean {
  return readAt - changedAt > (changedAt % 1000 === 0 ? COARSE_MS : FINE_MS);
}

function keyOf({ dev, ino, mode, nlink, size, mtimeMs, ctimeMs }: Stats): string {
  return `${dev}:${ino}:${mode}:${nlink}:${size}:${mtimeMs}:${ctimeMs}`;
}

function changeOf({ mtimeMs, ctimeMs }: Stats): number {
  return Math.max(mtimeMs, ctimeMs);
}
