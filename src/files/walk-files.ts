// Finds the files below a root that match a pattern. Names come from listing folders. Links
// are followed and checked by their target: no folder outside the root is entered, and none
// from within itself. Depth and numbers are bounded, so a circle of links ends.

import { type Dirent, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  changedTooRecently,
  changesUnseen,
  type Fingerprint,
  fileIdentity,
  isFolder,
  sameFingerprint,
  takeFingerprint,
} from './fingerprint.ts';
import type { ProblemOf } from './folder-links.ts';
import { isInside } from './inside.ts';
import { describeErrorCode, describeSystemError, errorCode } from './system-errors.ts';
import type { WatchedFolder } from './watch-folders.ts';

export interface FilePattern {
  /** Names of files and folders to skip. */
  readonly ignores: RegExp;
  /** Whether folders at this depth below the root are entered. */
  enters(depth: number): boolean;
  /** Whether to take a file with this name at this depth below the root. */
  wants(name: string, depth: number): boolean;
  /**
   * True: anything with a wanted name is taken, so that it can be reported. False: only
   * regular files, and links to such files inside the root.
   */
  readonly anyKind: boolean;
}

export interface FoundFile {
  /** Below the root, with slashes. */
  readonly path: string;
  readonly absolute: string;
  readonly print: Fingerprint;
}

/** Why there is nothing to walk. */
export interface RootTrouble {
  readonly kind: 'absent' | 'not-allowed' | 'unreadable';
  readonly why: string;
}

export interface WalkedFiles {
  readonly trouble: RootTrouble | null;
  /** There are more files or folders than the limit, or deeper ones. */
  readonly cut: boolean;
  readonly realRoot: string;
  readonly files: readonly FoundFile[];
  readonly folders: readonly WatchedFolder[];
  /** Links, and files with several names, by their path. */
  readonly links: ReadonlyMap<string, Fingerprint>;
  /** Any later addition or removal of a file would certainly be noticed. */
  readonly conclusive: boolean;
}

export const MAX_WALKED_DEPTH = 16;
export const MAX_FOLDERS = 20_000;
export const MAX_FILES = 10_000;

interface Listing {
  readonly print: Fingerprint;
  readonly conclusive: boolean;
  readonly entries: readonly Dirent[];
}

interface Place {
  readonly name: string;
  readonly absolute: string;
  readonly path: string;
}

/** Lists a folder again only if its fingerprint shows that an entry was added or removed. */
export function openWalk(
  root: string,
  pattern: FilePattern,
  problemOf: ProblemOf,
): () => WalkedFiles {
  let listings = new Map<string, Listing>();

  return () => {
    const before = listings;
    listings = new Map();
    const files: FoundFile[] = [];
    const folders: WatchedFolder[] = [];
    const links = new Map<string, Fingerprint>();
    let realRoot = root;
    let conclusive = true;
    let cut = false;

    /** `above`: the real paths of the folders from the root to this one, including both. */
    const enter = (folder: string, path: string, above: readonly string[]): void => {
      if (folders.length >= MAX_FOLDERS) {
        cut = true;
        return;
      }
      const listing = list(folder, pattern, before.get(folder), folders);
      if (listing === null) return;
      listings.set(folder, listing);
      conclusive &&= listing.conclusive;
      const depth = above.length - 1;
      for (const entry of listing.entries) {
        const { name } = entry;
        const below = path === '' ? name : `${path}/${name}`;
        const place: Place = { name, absolute: join(folder, name), path: below };
        const wanted = pattern.wants(name, depth);
        if (wanted && (entry.isFile() || pattern.anyKind)) take(place);
        else if (entry.isSymbolicLink()) follow(place, wanted, above);
        else if (entry.isDirectory()) descend(place, join(above[depth] ?? '', name), above);
      }
    };

    const take = ({ absolute, path }: Place): void => {
      if (files.length >= MAX_FILES) {
        cut = true;
        return;
      }
      const print = takeFingerprint(absolute);
      if (isGone(print)) return;
      if (changesUnseen(print)) links.set(absolute, print);
      files.push({ path, absolute, print });
    };

    const descend = ({ absolute, path }: Place, real: string, above: readonly string[]): void => {
      if (!pattern.enters(above.length) || above.includes(real)) return;
      if (above.length >= MAX_WALKED_DEPTH) cut = true;
      else enter(absolute, path, [...above, real]);
    };

    const follow = (place: Place, wanted: boolean, above: readonly string[]): void => {
      if (!wanted && !pattern.enters(above.length)) return;
      const print = takeFingerprint(place.absolute);
      if (isGone(print)) return;
      links.set(place.absolute, print);
      const end = endOfLink(place.absolute);
      if (end === null || !isInside(realRoot, end.real)) return;
      if (end.stats.isDirectory()) descend(place, end.real, above);
      else if (end.stats.isFile() && wanted) take(place);
    };

    let trouble = troubleWith(root, problemOf);
    if (trouble === null) {
      try {
        realRoot = realpathSync.native(root);
        enter(root, '', [realRoot]);
        // Only listing shows whether it may be listed.
        if (!listings.has(root)) readdirSync(root);
      } catch (error) {
        const kind = errorCode(error) === 'ENOENT' ? 'absent' : 'unreadable';
        trouble = { kind, why: describeSystemError(error) };
      }
    }
    return { trouble, cut, realRoot, files, folders, links, conclusive };
  };
}

/** A broken link is not gone. */
export function isGone({ kind, link }: Fingerprint): boolean {
  return kind === 'absent' && link === null;
}

function troubleWith(root: string, problemOf: ProblemOf): RootTrouble | null {
  const problem = problemOf(root);
  if (problem !== null) return { kind: 'not-allowed', why: problem };
  const print = takeFingerprint(root);
  if (isFolder(print)) return null;
  const { stats, code } = print;
  const why = describeErrorCode(stats === null ? code : 'ENOTDIR');
  return { kind: code === 'ENOENT' ? 'absent' : 'unreadable', why };
}

/** Null for a folder that is gone or not accessible. */
function list(
  folder: string,
  { ignores }: FilePattern,
  known: Listing | undefined,
  folders: WatchedFolder[],
): Listing | null {
  const print = takeFingerprint(folder);
  if (print.stats === null) return null;
  folders.push({ path: folder, identity: fileIdentity(print.stats) });
  if (known?.conclusive && sameFingerprint(known.print, print)) return known;
  const conclusive = !changedTooRecently(print, Date.now());
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    const seen = entries.filter(({ name }) => !ignores.test(name)).sort(byName);
    return { print, conclusive, entries: seen };
  } catch {
    return null;
  }
}

function byName(a: Dirent, b: Dirent): number {
  return a.name < b.name ? -1 : 1;
}

/** Null for a link that is broken, circular or not accessible. */
function endOfLink(path: string): { real: string; stats: Stats } | null {
  try {
    const real = realpathSync.native(path);
    return { real, stats: statSync(real) };
  } catch {
    return null;
  }
}
