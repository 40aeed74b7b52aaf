// Finds the files of one kind below a root: skills at any depth, snippets one folder deep.
// Names come from listing folders. Links are followed and judged by where they end: what
// really lies outside the root does not exist. No folder is entered from within itself,
// and depth and numbers are bounded, so a circle of links ends. Hidden names are left
// alone: they belong to version control and operating systems. So are names with control
// characters, which would feign further lines of a list.

import { type Dirent, opendirSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { changeOf, type FileLook, keyOf, lookAtFile } from '../files/file-look.ts';
import { changedTooRecently } from '../files/fingerprint.ts';
import { isInside } from '../files/inside.ts';
import type { ProblemOf } from '../files/project-path.ts';
import { systemWords } from '../files/system-words.ts';
import { identityOf, type WatchedFolder } from './tree-watch.ts';

export interface Kind {
  /** Whether folders so many levels below the root are entered. */
  enters(depth: number): boolean;
  /** Whether a file of this name, so many levels below the root, is one. */
  wants(name: string, depth: number): boolean;
}

export interface FoundFile {
  /** Below the root, with slashes. */
  readonly path: string;
  readonly absolute: string;
  readonly look: FileLook;
}

export interface Walked {
  /** Why there is nothing to walk; null if there is a folder. */
  readonly trouble: string | null;
  readonly realRoot: string;
  readonly files: readonly FoundFile[];
  readonly folders: readonly WatchedFolder[];
  /** Links met on the way, with what they looked like. */
  readonly links: ReadonlyMap<string, string>;
  /** A further change would be sure to show, as far as folders go. */
  readonly settled: boolean;
}

const LEFT_ALONE = /^\.|[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const DEEPEST = 16;
const MAX_FOLDERS = 20_000;
const MAX_FILES = 10_000;

interface Listing {
  readonly key: string;
  readonly settled: boolean;
  readonly entries: readonly Dirent[];
}

/** Lists a folder again only when its own look says that something came or went. */
export function openWalk(root: string, kind: Kind, problemOf: ProblemOf): () => Walked {
  let listings = new Map<string, Listing>();

  return () => {
    const before = listings;
    listings = new Map();
    const files: FoundFile[] = [];
    const folders: WatchedFolder[] = [];
    const links = new Map<string, string>();
    let settled = true;

    /** `above`: the real paths of the folders that led here, this one included. */
    const enter = (folder: string, path: string, above: readonly string[]): void => {
      if (folders.length >= MAX_FOLDERS) return;
      const listing = list(folder, before.get(folder), folders);
      if (listing === null) return;
      listings.set(folder, listing);
      settled &&= listing.settled;
      const depth = above.length - 1;
      for (const entry of listing.entries) {
        const { name } = entry;
        const place = {
          absolute: join(folder, name),
          path: path === '' ? name : `${path}/${name}`,
        };
        if (entry.isSymbolicLink()) follow(place, name, above);
        else if (entry.isFile() && kind.wants(name, depth)) take(place);
        else if (entry.isDirectory()) descend(place, join(above[depth] ?? '', name), above);
      }
    };

    const take = ({ absolute, path }: { absolute: string; path: string }): void => {
      if (files.length >= MAX_FILES) return;
      const look = lookAtFile(absolute);
      if (look === null) return;
      if (look.remote) links.set(absolute, look.key);
      files.push({ path, absolute, look });
    };

    const descend = (
      { absolute, path }: { absolute: string; path: string },
      real: string,
      above: readonly string[],
    ): void => {
      const deep = above.length >= DEEPEST || !kind.enters(above.length);
      if (!deep && !above.includes(real)) enter(absolute, path, [...above, real]);
    };

    const follow = (
      place: { absolute: string; path: string },
      name: string,
      above: readonly string[],
    ): void => {
      const look = lookAtFile(place.absolute);
      if (look === null) return;
      links.set(place.absolute, look.key);
      const end = endOfLink(place.absolute);
      if (end === null || !isInside(realRoot, end.real)) return;
      if (end.stats.isDirectory()) descend(place, end.real, above);
      else if (end.stats.isFile() && kind.wants(name, above.length - 1)) take(place);
    };

    let realRoot = root;
    let trouble = problemOf(root);
    if (trouble !== null) return { trouble, realRoot, files, folders, links, settled };
    try {
      realRoot = realpathSync.native(root);
      // Listing it is the only way to learn that it may not be listed.
      opendirSync(realRoot).closeSync();
      enter(root, '', [realRoot]);
    } catch (error) {
      trouble = systemWords(error);
    }
    return { trouble, realRoot, files, folders, links, settled };
  };
}

/** Null for a folder that is gone or closed to us. */
function list(folder: string, kept: Listing | undefined, folders: WatchedFolder[]): Listing | null {
  try {
    const stats = statSync(folder, { bigint: true });
    folders.push({ path: folder, identity: identityOf(stats) });
    const key = keyOf(stats);
    if (kept?.key === key && kept.settled) return kept;
    const settled = !changedTooRecently({ changedAt: changeOf(stats) }, Date.now());
    const entries = readdirSync(folder, { withFileTypes: true }).filter(
      ({ name }) => !LEFT_ALONE.test(name),
    );
    return { key, settled, entries: entries.sort(byName) };
  } catch {
    return null;
  }
}

function byName(a: Dirent, b: Dirent): number {
  return a.name < b.name ? -1 : 1;
}

/** Null for a link to nothing, or in a circle, or to where we may not look. */
function endOfLink(path: string): { real: string; stats: Stats } | null {
  try {
    const real = realpathSync.native(path);
    return { real, stats: statSync(real) };
  } catch {
    return null;
  }
}
