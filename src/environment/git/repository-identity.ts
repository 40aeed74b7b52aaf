// Identifies the repository at a path. A folder can be removed and another one cloned in its
// place, so trust is bound to the folder itself and its `.git`: their inodes and birth times,
// and the URL of `origin`. The URL may contain a password or a token, so only its hash is kept. Git
// is not run, since running it in an untrusted repository is what trust has to prevent.

import { createHash } from 'node:crypto';
import { type BigIntStats, lstatSync } from 'node:fs';
import path from 'node:path';
import { readSmallText } from '../../files/read-contained.ts';
import { firstConfigValue } from './git-config.ts';

export interface RepositoryIdentity {
  readonly folder: string | null;
  readonly git: string | null;
  /** The hash of its URL. */
  readonly origin: string | null;
}

const MAX_CONFIG_BYTES = 256 * 1024;

export function identifyRepository(root: string): RepositoryIdentity {
  const git = path.join(root, '.git');
  const stats = statsOf(git);
  // In a linked work tree `.git` is a file, and its identity is enough.
  const url = stats?.isDirectory() ? originIn(path.join(git, 'config')) : null;
  return {
    folder: identityOf(statsOf(root)),
    git: identityOf(stats),
    origin: url === null ? null : createHash('sha256').update(url).digest('hex'),
  };
}

export function isSameRepository(one: RepositoryIdentity, other: RepositoryIdentity): boolean {
  return (
    isSame(one.folder, other.folder) && isSame(one.git, other.git) && one.origin === other.origin
  );
}

/** Validates a value read from a file. */
export function readIdentity(value: unknown): RepositoryIdentity | null {
  if (typeof value !== 'object' || value === null) return null;
  const { folder, git, origin } = value as Readonly<Record<string, unknown>>;
  const fits = (each: unknown): each is string | null => each === null || typeof each === 'string';
  return fits(folder) && fits(git) && fits(origin) ? { folder, git, origin } : null;
}

function statsOf(file: string): BigIntStats | null {
  try {
    return lstatSync(file, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

function identityOf(stats: BigIntStats | null): string | null {
  if (stats === null) return null;
  const { ino, birthtimeNs, ctimeNs } = stats;
  // Without a birth time in the file system, Node returns zero or the change time.
  const isKnown = birthtimeNs > 0n && birthtimeNs !== ctimeNs;
  return isKnown ? `${ino}:${birthtimeNs}` : `${ino}`;
}

/** Inodes are reused, birth times are not, but a birth time is not known everywhere. */
function isSame(one: string | null, other: string | null): boolean {
  if (one === null || other === null) return one === other;
  const [ino, birth] = one.split(':');
  const [otherIno, otherBirth] = other.split(':');
  if (ino !== otherIno) return false;
  return birth === undefined || otherBirth === undefined || birth === otherBirth;
}

/** The URL of `origin` in a git config file. */
export function originIn(file: string): string | null {
  const text = readSmallText(file, MAX_CONFIG_BYTES);
  return text === null ? null : firstConfigValue(text, 'remote.origin', 'url');
}
