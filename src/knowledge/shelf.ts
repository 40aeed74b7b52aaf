// All files of one kind, skills or snippets, in all their roots, as they are at each look.
// An edited, added or removed file is seen by the next look; what has not changed is
// neither read nor parsed again.
//
// A look at everything costs one or two system calls for each file: nothing for a
// hundred files, too much for thousands. A large shelf is therefore watched, and a look
// that finds the watch silent (and links, which no watch tells of, unchanged) gives the
// last view again. Where silence cannot be trusted, everything is looked at every time.

import { statSync } from 'node:fs';
import { coalesce } from '../async/coalesce.ts';
import { readFrontMatter, textOf } from '../definitions/front-matter.ts';
import { lookAtFile } from '../files/file-look.ts';
import { changedTooRecently } from '../files/fingerprint.ts';
import type { ProblemOf } from '../files/project-path.ts';
import { readContained } from '../files/read-contained.ts';
import { settleEvents } from '../files/watch-reliability.ts';
import { identityOf, openTreeWatch, type TreeWatch } from './tree-watch.ts';
import { type FoundFile, type Kind, openWalk, type Walked } from './walk.ts';

export interface Shelf {
  look(): Promise<ShelfView>;
  /** How many files have been read so far. */
  readonly read: number;
  /** Whether looks can be answered from silence. */
  readonly watched: boolean;
  close(): void;
}

/** The same object as before if nothing has changed. */
export interface ShelfView {
  /** Those of the first root hide those of the next with the same path; in path order. */
  readonly files: readonly ShelfFile[];
  /** Why there is no root at all, for each; null if there is one. */
  readonly troubles: readonly string[] | null;
}

export interface ShelfFile {
  /** Below its root, with slashes. */
  readonly path: string;
  readonly name: string | null;
  readonly description: string | null;
  /** The whole file as it is now; null if it is gone. */
  content(): Promise<string | null>;
}

interface Kept {
  readonly key: string;
  readonly settled: boolean;
  /** Null for what is no text, or too large, or really elsewhere. */
  readonly file: ShelfFile | null;
}

const MAX_BYTES = 1024 * 1024;
const MAX_DESCRIPTION_LENGTH = 4096;
const MAX_LINKS = 200;
/** Below so many files and folders a look at all of them takes less than a millisecond. */
const WATCHED_FROM = 300;
const READ_AT_ONCE = 64;

export function openShelf(
  roots: readonly string[],
  kind: Kind,
  options: { watchFrom?: number; problemOf?: ProblemOf } = {},
): Shelf {
  const { problemOf = () => null } = options;
  const walks = roots.map((root) => openWalk(root, kind, problemOf));
  let kept = new Map<string, Kept>();
  let view: ShelfView | null = null;
  let watch: TreeWatch | null | undefined;
  /** Null: silence of the watch would not mean that the view still holds. */
  let trusted: { identities: string; links: ReadonlyMap<string, string> } | null = null;
  let read = 0;

  const isSilent = (): boolean => {
    const quiet = watch?.quiet() ?? false;
    if (!quiet || trusted === null || trusted.identities !== identitiesOf(roots, problemOf))
      return false;
    for (const [path, key] of trusted.links) if (lookAtFile(path)?.key !== key) return false;
    return true;
  };

  /** Reads what changed; true if nothing did. */
  const readFiles = async (walked: readonly Walked[]): Promise<boolean> => {
    const before = kept;
    kept = new Map();
    let same = view !== null;
    let count = 0;
    for (const { files, realRoot } of walked) {
      for (const found of files) {
        const known = before.get(found.absolute);
        if (known?.key === found.look.key && known.settled) {
          kept.set(found.absolute, known);
          continue;
        }
        same = false;
        // Thousands of files are read at first; other calls are to be answered meanwhile.
        if (++count % READ_AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
        const settled = !changedTooRecently({ changedAt: found.look.changedAt }, Date.now());
        const file = await openFile(realRoot, found);
        read += 1;
        kept.set(found.absolute, { key: found.look.key, settled, file });
      }
    }
    return same && before.size === kept.size;
  };

  const keepWatch = (walked: readonly Walked[], identities: string): void => {
    const folders = walked.flatMap((each) => each.folders);
    const links = new Map(walked.flatMap((each) => [...each.links]));
    const size = folders.length + kept.size;
    const worthIt = size >= (options.watchFrom ?? WATCHED_FROM) && links.size <= MAX_LINKS;
    if (watch === undefined && worthIt) watch = openTreeWatch();
    const covered = worthIt && (watch?.cover(folders) ?? false);
    if (!covered) watch?.cover([]);
    const settled =
      walked.every((each) => each.settled) && [...kept.values()].every((each) => each.settled);
    trusted = covered && settled ? { identities, links } : null;
  };

  const look = async (): Promise<ShelfView> => {
    if (watch) await settleEvents();
    if (isSilent() && view !== null) return view;
    trusted = null;
    const identities = identitiesOf(roots, problemOf);
    const walked = walks.map((walk) => walk());
    const same = await readFiles(walked);
    const troubles = walked.every(({ trouble }) => trouble !== null)
      ? walked.map(({ trouble }) => trouble ?? '')
      : null;
    if (!same || view === null || view.troubles?.join() !== troubles?.join()) {
      view = { files: arrange(walked, kept), troubles };
    }
    keepWatch(walked, identities);
    return view;
  };

  return {
    look: coalesce(look),
    get read() {
      return read;
    },
    get watched() {
      return trusted !== null;
    },
    close() {
      watch?.close();
      watch = null;
      trusted = null;
    },
  };
}

function arrange(walked: readonly Walked[], kept: ReadonlyMap<string, Kept>): ShelfFile[] {
  const byPath = new Map<string, ShelfFile>();
  for (const { files } of walked) {
    for (const { path, absolute } of files) {
      const file = kept.get(absolute)?.file;
      if (file && !byPath.has(path)) byPath.set(path, file);
    }
  }
  return [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function openFile(
  realRoot: string,
  { path, absolute }: FoundFile,
): Promise<ShelfFile | null> {
  const content = () => readText(realRoot, absolute);
  const text = await content();
  if (text === null) return null;
  const front = await readFrontMatter(text);
  const map = front.kind === 'map' ? front.map : null;
  const description = map === null ? null : textOf(map, 'description');
  return {
    path,
    name: map === null ? null : textOf(map, 'name'),
    description: description === null ? null : description.slice(0, MAX_DESCRIPTION_LENGTH),
    content,
  };
}

/** Bytes that are not UTF-8 are replaced; a NUL says that it is no text at all. */
async function readText(realRoot: string, absolute: string): Promise<string | null> {
  const found = readContained(realRoot, absolute, MAX_BYTES);
  return found.kind === 'read' && !found.bytes.includes(0) ? found.bytes.toString('utf8') : null;
}

/** A root that was moved away and replaced is not told of by the watch on the old one. */
function identitiesOf(roots: readonly string[], problemOf: ProblemOf): string {
  return roots
    .map((root) => {
      if (problemOf(root) !== null) return 'elsewhere';
      try {
        const stats = statSync(root, { bigint: true, throwIfNoEntry: false });
        return stats === undefined ? 'absent' : identityOf(stats);
      } catch {
        return 'closed';
      }
    })
    .join(' ');
}
