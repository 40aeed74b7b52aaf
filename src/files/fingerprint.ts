// Tells whether a file or folder is still the one that was read, without opening it. It is
// taken before the read: a change that slips in between shows as a different fingerprint
// at the next look. It asks the system directly, because this runs for every file of
// every collection, and the way through the thread pool costs four times the call itself.

import { constants, lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { errorCode } from './system-words.ts';

/** Copied: the system's answer is ten times as large, and thousands are held at once. */
type FileStats = Pick<
  Stats,
  'dev' | 'ino' | 'mode' | 'nlink' | 'size' | 'mtimeMs' | 'ctimeMs' | 'birthtimeMs'
>;

export interface Fingerprint {
  /** At the end of a link if it is one: a link to nothing is `absent`, and a link. */
  readonly kind: 'present' | 'absent' | 'failed';
  /** What is there. Times in milliseconds, with fractions finer than a file system's clock ticks. */
  readonly stats: FileStats | null;
  /** The link's own state, and where it ends: the way may lead out of a folder one day. */
  readonly link: string | null;
  /** The system's code for why nothing is there, or nothing can be seen of it. */
  readonly code: string;
  /** By the later of its times, and those of its link; 0 if there is nothing. */
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

/** Whether it is the same file, unchanged; or as much not there as it was. */
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

/** The same as text, for those who keep it in a text. */
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

/** The same file or folder, whatever happened to it. A number freed by one may be given to the next. */
export function identityOf({ dev, ino, birthtimeMs }: FileStats): string {
  return `${dev}:${ino}:${birthtimeMs}`;
}

/** Whether it can change without anything happening in its folder. */
export function changesUnseen({ kind, link, stats }: Fingerprint): boolean {
  return kind !== 'present' || link !== null || (stats !== null && stats.nlink > 1);
}

function changeOf({ mtimeMs, ctimeMs }: Stats): number {
  return Math.max(mtimeMs, ctimeMs);
}

/** Longer than the tick of any file system that tells more than whole seconds. */
export const TICK_MS = 20;
/** FAT counts in steps of two seconds. */
const COARSE_TICK_MS = 2500;

/**
 * Whether a further change could leave the same fingerprint. Two changes within one tick of
 * a file system's clock leave the same time behind, so what was read that shortly after its
 * last change must be read once more. Whole seconds may come from a coarse clock.
 */
export function changedTooRecently({ changedAt }: { changedAt: number }, readAt: number): boolean {
  return readAt - changedAt <= (changedAt % 1000 === 0 ? COARSE_TICK_MS : TICK_MS);
}
