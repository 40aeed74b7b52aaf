// What can be seen of a file without opening it: enough to tell whether it is still the
// one that was read. Synchronous, because a promise for each of a thousand files costs
// more than the looks themselves.

import { type BigIntStats, lstatSync, realpathSync, statSync } from 'node:fs';

export interface FileLook {
  /** Equal keys mean the same file, unchanged. */
  readonly key: string;
  /** When it was changed, in milliseconds, by the clock that nobody but the system sets. */
  readonly changedAt: number;
  /** It can change without anything happening in its folder. */
  readonly remote: boolean;
  readonly isLink: boolean;
}

/** Null if there is nothing. */
export function lookAtFile(path: string): FileLook | null {
  try {
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (!stats) return null;
    const key = keyOf(stats);
    const changedAt = changeOf(stats);
    if (!stats.isSymbolicLink()) {
      return { key, changedAt, remote: stats.nlink > 1n, isLink: false };
    }
    return { ...lookThroughLink(path, key, changedAt), remote: true, isLink: true };
  } catch (error) {
    return { key: wordOf(error), changedAt: 0, remote: true, isLink: false };
  }
}

/** Where a link ends counts too: the way there may lead out of the folder one day. */
function lookThroughLink(path: string, key: string, changedAt: number) {
  try {
    const target = statSync(path, { bigint: true });
    return {
      key: `${key} ${keyOf(target)} ${realpathSync.native(path)}`,
      changedAt: Math.max(changedAt, changeOf(target)),
    };
  } catch (error) {
    return { key: `${key} ${wordOf(error)}`, changedAt };
  }
}

/** Of a file or a folder. */
export function keyOf({ dev, ino, mode, nlink, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${mode}:${nlink}:${size}:${mtimeNs}:${ctimeNs}`;
}

export function changeOf({ ctimeNs }: BigIntStats): number {
  return Number(ctimeNs / 1_000_000n);
}

function wordOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
