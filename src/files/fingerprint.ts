// Tells whether a file or folder is unchanged since it was read, without opening it. It is
// taken before the read, so a change in between shows as a different fingerprint at the next
// look. It uses synchronous calls, because it runs for every file of every collection, and the
// thread pool costs four times the call itself.

import { constants, lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { errorCode } from './system-errors.ts';

/** Copied, because the system's object is ten times as large and thousands are kept. */
type FileStats = Pick<
  Stats,
  'dev' | 'ino' | 'mode' | 'nlink' | 'size' | 'mtimeMs' | 'ctimeMs' | 'birthtimeMs'
>;

export interface Fingerprint {
  /** Of a link's target, if it is a link: a broken link is `absent`, with `link` set. */
  readonly kind: 'present' | 'absent' | 'failed';
  /** Times are in milliseconds, with fractions finer than a file system's clock tick. */
  readonly stats: FileStats | null;
  /** The link's own state and its target, which may leave the folder one day. */
  readonly link: string | null;
  /** The system's error code if it is absent or cannot be read. */
  readonly code: string;
  /** The latest of its times and those of its link; 0 if there is nothing. */
  readonly changedAt: number;
}

export const NOTHING: Fingerprint = {
  kind: 'absent',
  stats: null,
  link: null,
  code: 'ENOENT',
  changedAt: 0,
};

export function takeFingerprint(path: string): Fingerprint {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return NOTHING;
    return stats.isSymbolicLink() ? throughLink(path, stats) : ofStats(stats);
  } catch (error) {
    return failure(error, null, 0);
  }
}

function ofStats(stats: Stats): Fingerprint {
  return {
    kind: 'present',
    stats: copyOf(stats),
    link: null,
    code: '',
    changedAt: changeOf(stats),
  };
}

function throughLink(path: string, own: Stats): Fingerprint {
  const link = describeStats(own);
  const changedAt = changeOf(own);
  try {
    const stats = statSync(path);
    return {
      kind: 'present',
      stats: copyOf(stats),
      link: `${link} ${realpathSync.native(path)}`,
      code: '',
      changedAt: Math.max(changedAt, changeOf(stats)),
    };
  } catch (error) {
    return failure(error, link, changedAt);
  }
}

function failure(error: unknown, link: string | null, changedAt: number): Fingerprint {
  const code = errorCode(error);
  const kind = code === 'ENOENT' || code === 'ENOTDIR' ? 'absent' : 'failed';
  return { kind, stats: null, link, code, changedAt };
}

/** Whether it is the same file, unchanged, or still absent. */
export function sameFingerprint(a: Fingerprint, b: Fingerprint): boolean {
  if (a.kind !== b.kind || a.link !== b.link || a.code !== b.code) return false;
  return a.stats === b.stats || (a.stats !== null && b.stats !== null && same(a.stats, b.stats));
}

function copyOf(stats: Stats): FileStats {
  const { dev, ino, mode, nlink, size, mtimeMs, ctimeMs, birthtimeMs } = stats;
  return { dev, ino, mode, nlink, size, mtimeMs, ctimeMs, birthtimeMs };
}

export function isFile({ stats }: Fingerprint): boolean {
  return stats !== null && (stats.mode & constants.S_IFMT) === constants.S_IFREG;
}

export function isFolder({ stats }: Fingerprint): boolean {
  return stats !== null && (stats.mode & constants.S_IFMT) === constants.S_IFDIR;
}

function same(a: FileStats, b: FileStats): boolean {
  return (
    a.mtimeMs === b.mtimeMs &&
    a.ctimeMs === b.ctimeMs &&
    a.size === b.size &&
    a.nlink === b.nlink &&
    a.mode === b.mode &&
    a.ino === b.ino &&
    a.dev === b.dev
  );
}

/** The same as text, for callers that store it as text. */
export function describeStats({
  dev,
  ino,
  mode,
  nlink,
  size,
  mtimeMs,
  ctimeMs,
}: FileStats): string {
  return `${dev}:${ino}:${mode}:${nlink}:${size}:${mtimeMs}:${ctimeMs}`;
}

/** Identifies a file or folder whatever happens to it. Inode numbers alone are reused. */
export function fileIdentity({ dev, ino, birthtimeMs }: FileStats): string {
  return `${dev}:${ino}:${birthtimeMs}`;
}

/** Whether it can change without an event in its folder. */
export function changesUnseen({ kind, link, stats }: Fingerprint): boolean {
  return kind !== 'present' || link !== null || (stats !== null && stats.nlink > 1);
}

function changeOf({ mtimeMs, ctimeMs }: Stats): number {
  return Math.max(mtimeMs, ctimeMs);
}

/** Longer than the clock tick of any file system with times finer than seconds. */
export const TICK_MS = 20;
/** FAT counts in steps of two seconds. */
const COARSE_TICK_MS = 2500;

/**
 * Whether a further change could leave the same fingerprint. Two changes within one tick of a
 * file system's clock have the same time, so a file that was read that soon after its last
 * change must be read again. Whole seconds may come from a coarse clock.
 */
export function changedTooRecently({ changedAt }: { changedAt: number }, readAt: number): boolean {
  return readAt - changedAt <= (changedAt % 1000 === 0 ? COARSE_TICK_MS : TICK_MS);
}

/** Keeps what was read from a file while its fingerprint, taken before, stays the same. */
export function openReadCache<T>(): (print: Fingerprint, read: () => T) => T {
  let known: { readonly print: Fingerprint; readonly value: T } | null = null;
  return (print, read) => {
    if (known !== null && sameFingerprint(known.print, print)) return known.value;
    const readAt = Date.now();
    const value = read();
    known = changedTooRecently(print, readAt) ? null : { print, value };
    return value;
  };
}
