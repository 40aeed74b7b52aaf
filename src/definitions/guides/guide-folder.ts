// The workflow files that lie directly in one folder, as they are at each look. What was
// read before is used again as long as the file looks the same.
//
// A look at everything costs a system call for each file. Where the folder can be
// watched, a look at some files is enough: at those that the watch tells of, at those
// that can change behind its back, and at the one that somebody is about to use.

import { createHash } from 'node:crypto';
import { type BigIntStats, readdirSync, statSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { mapConcurrent } from '../../async/map-concurrent.ts';
import { changeOf, type FileLook, keyOf, lookAtFile } from '../../files/file-look.ts';
import { changedTooRecently } from '../../files/fingerprint.ts';
import type { ProblemOf } from '../../files/project-path.ts';
import type { ContainedFile } from '../../files/read-contained.ts';
import { systemWords } from '../../files/system-words.ts';
import { type FolderWatch, watchFolder } from './folder-watch.ts';
import { EXTENSION, type GuideFile, openGuideFile, readGuideBytes } from './guide-file.ts';

export interface GuideFolder {
  look(at: 'all' | ReadonlySet<string>): Promise<FolderView>;
  /** How many files have been parsed so far. */
  readonly parsed: number;
  readonly watched: boolean;
  close(): void;
}

/** The same object as before if nothing has changed. */
export interface FolderView {
  readonly folder: string;
  /** By file name. */
  readonly files: readonly GuideFile[];
  /** In words, why files may be missing here. */
  readonly trouble: string | null;
}

interface Kept {
  readonly look: FileLook;
  readonly guide: GuideFile;
  /** Equal prints mean equal content, or the same trouble in getting at it. */
  readonly print: string;
  /** A further change would be sure to show in the look. */
  readonly settled: boolean;
}

interface Listing {
  readonly key: string;
  readonly settled: boolean;
  readonly names: ReadonlySet<string>;
  readonly trouble: string | null;
}

/** Where guides may be that the project's own folders must not lead to. */
const NAME_IT_INSTEAD =
  'remove the link; a folder of workflows elsewhere can be named in DEEPWORK_WORKFLOW_FOLDERS';

const MAX_FILES = 10_000;
const FILES_AT_ONCE = 16;

export interface GuideFolderOptions {
  readonly watch: boolean;
  /** Asked of the folder before each look. */
  readonly problemOf: ProblemOf;
}

export function openGuideFolder(folder: string, options: GuideFolderOptions): GuideFolder {
  const kept = new Map<string, Kept>();
  /** Names that every look must include. */
  const doubtful = new Set<string>();
  let watch: FolderWatch | null = null;
  let identity: string | null = null;
  let listing: Listing | null = null;
  let view: FolderView = { folder, files: [], trouble: null };
  /** The view no longer shows what is kept. */
  let changed = false;
  let parsed = 0;

  const forget = (trouble: string | null): FolderView => {
    watch?.close();
    watch = null;
    identity = null;
    listing = null;
    kept.clear();
    doubtful.clear();
    if (view.files.length > 0 || view.trouble !== trouble) view = { folder, files: [], trouble };
    changed = false;
    return view;
  };

  /** Before the folder is listed, so that nothing slips through between. */
  const attach = (stats: BigIntStats) => {
    const found = `${stats.dev}:${stats.ino}`;
    if (found === identity) return;
    forget(view.trouble);
    watch = options.watch ? watchFolder(folder) : null;
    identity = found;
  };

  /** The names of now; those that have gone are forgotten. */
  const list = (stats: BigIntStats): Listing => {
    const key = keyOf(stats);
    if (listing?.key === key && listing.settled) return listing;
    const settled = !changedTooRecently({ changedAt: changeOf(stats) }, Date.now());
    const found = listGuideFiles(folder);
    const names = new Set(found.slice(0, MAX_FILES));
    for (const name of [...kept.keys(), ...doubtful]) if (!names.has(name)) drop(name);
    for (const name of names) if (!kept.has(name)) doubtful.add(name);
    const trouble = found.length > names.size ? `only ${MAX_FILES} files are looked at` : null;
    listing = { key, settled, names, trouble };
    return listing;
  };

  const drop = (name: string) => {
    doubtful.delete(name);
    if (kept.delete(name)) changed = true;
  };

  /** Whether the file has to be read. */
  const isStale = (name: string, look: FileLook): boolean => {
    const known = kept.get(name);
    return known?.look.key !== look.key || !known.settled;
  };

  const read = async (realFolder: string, name: string, look: FileLook): Promise<void> => {
    const file = join(folder, name);
    const readAt = Date.now();
    const content = readGuideBytes(realFolder, file);
    const known = kept.get(name);
    if (content.kind === 'missing' && !look.isLink) {
      drop(name);
      return;
    }
    const print = printOf(content);
    const lasting = content.kind !== 'unreadable' && content.kind !== 'missing';
    const settled = lasting && !changedTooRecently({ changedAt: look.changedAt }, readAt);
    const same = known?.print === print;
    if (!same && content.kind === 'read') parsed += 1;
    const guide = same ? known.guide : openGuideFile(file, content);
    kept.set(name, { look, guide, print, settled });
    if (!same) changed = true;
    if (look.remote || !settled) doubtful.add(name);
    else doubtful.delete(name);
  };

  const lookAt = async (wanted: Iterable<string>, names: ReadonlySet<string>): Promise<void> => {
    const stale: { name: string; look: FileLook }[] = [];
    for (const name of wanted) {
      if (!names.has(name)) continue;
      const look = lookAtFile(join(folder, name));
      if (!look) drop(name);
      else if (isStale(name, look)) stale.push({ name, look });
    }
    if (stale.length === 0) return;
    const realFolder = await realpath(folder);
    await mapConcurrent(stale, FILES_AT_ONCE, ({ name, look }) => read(realFolder, name, look));
  };

  return {
    get parsed() {
      return parsed;
    },
    get watched() {
      return watch !== null;
    },
    close() {
      forget(null);
    },

    async look(at) {
      const problem = options.problemOf(folder);
      if (problem !== null) return forget(`${problem}; ${NAME_IT_INSTEAD}`);
      try {
        const stats = statSync(folder, { bigint: true, throwIfNoEntry: false });
        if (!stats) return forget(null);
        if (!stats.isDirectory()) return forget('it is not a folder');
        attach(stats);
        const told = watch?.take() ?? null;
        const fresh = listing === null;
        const { names, trouble } = list(stats);
        const all = fresh || told === null || at === 'all';
        await lookAt(all ? names : new Set([...told, ...at, ...doubtful]), names);
        if (changed || view.trouble !== trouble) {
          const files = [...names].flatMap((name) => kept.get(name)?.guide ?? []);
          view = { folder, files, trouble };
        }
        changed = false;
        return view;
      } catch (error) {
        return forget(systemWords(error));
      }
    },
  };
}

/** In the order of their names. Like in a shell, `*.json` means no hidden files. */
function listGuideFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(EXTENSION) && !name.startsWith('.'))
    .sort();
}

function printOf(content: ContainedFile): string {
  if (content.kind === 'unreadable') return `unreadable ${content.why}`;
  if (content.kind !== 'read') return content.kind;
  return createHash('sha256').update(content.bytes).digest('hex');
}
