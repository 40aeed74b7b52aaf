// Which repository is at a path. A folder can be removed and another one cloned in its
// place, so trust is bound to the folder itself and to its `.git`: their inodes and times
// of birth, and where `origin` points. Git is not asked, since running it in a repository
// that is not trusted is what trust is there to prevent.

import { type BigIntStats, lstatSync } from 'node:fs';
import path from 'node:path';
import { readSmallText } from '../files/read-contained.ts';

export interface Repository {
  readonly folder: string | null;
  readonly git: string | null;
  readonly origin: string | null;
}

const CONFIG_LIMIT = 256 * 1024;

export function repositoryAt(root: string): Repository {
  const git = path.join(root, '.git');
  const stats = look(git);
  return {
    folder: identityOf(look(root)),
    git: identityOf(stats),
    // In a linked work tree `.git` is a file, and its identity is enough.
    origin: stats?.isDirectory() ? originIn(path.join(git, 'config')) : null,
  };
}

export function isSameRepository(one: Repository, other: Repository): boolean {
  return (
    isSame(one.folder, other.folder) && isSame(one.git, other.git) && one.origin === other.origin
  );
}

/** A value that was read from outside, if it is one. */
export function readRepository(value: unknown): Repository | null {
  if (typeof value !== 'object' || value === null) return null;
  const { folder, git, origin } = value as Readonly<Record<string, unknown>>;
  const fits = (each: unknown): each is string | null => each === null || typeof each === 'string';
  return fits(folder) && fits(git) && fits(origin) ? { folder, git, origin } : null;
}

function look(file: string): BigIntStats | null {
  try {
    return lstatSync(file, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

function identityOf(stats: BigIntStats | null): string | null {
  if (stats === null) return null;
  const { ino, birthtimeNs, ctimeNs } = stats;
  // Where a file system keeps no time of birth, Node gives zero or the time of change.
  const isKnown = birthtimeNs > 0n && birthtimeNs !== ctimeNs;
  return isKnown ? `${ino}:${birthtimeNs}` : `${ino}`;
}

/** Inodes are used again, births are not; but a birth is not known everywhere. */
function isSame(one: string | null, other: string | null): boolean {
  if (one === null || other === null) return one === other;
  const [ino, birth] = one.split(':');
  const [otherIno, otherBirth] = other.split(':');
  if (ino !== otherIno) return false;
  return birth === undefined || otherBirth === undefined || birth === otherBirth;
}

function originIn(file: string): string | null {
  let inOrigin = false;
  for (const line of (readSmallText(file, CONFIG_LIMIT) ?? '').split('\n')) {
    const section = /^\s*\[(.*)\]\s*$/.exec(line)?.[1];
    if (section !== undefined) inOrigin = /^remote\s+"origin"$/.test(section);
    const url = inOrigin ? /^\s*url\s*=\s*(.*?)\s*$/.exec(line)?.[1] : undefined;
    if (url !== undefined) return url;
  }
  return null;
}
