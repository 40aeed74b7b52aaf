// One root of a file collection. Checking everything costs a system call for each file and
// folder: nothing for a dozen files, too much for thousands. A large root is therefore
// watched, and only some files are checked: those the watch reports, those it cannot cover,
// and those the caller is about to use. After anything other than edits of known files, or if
// the watch is unreliable, everything is checked.

import { hash } from 'node:crypto';
import {
  changedTooRecently,
  type Fingerprint,
  fileIdentity,
  isFile,
  sameFingerprint,
  takeFingerprint,
} from './fingerprint.ts';
import type { ProblemOf } from './folder-links.ts';
import { type ContainedFile, readContained } from './read-contained.ts';
import {
  type FilePattern,
  type FoundFile,
  isGone,
  openWalk,
  type RootTrouble,
  type WalkedFiles,
} from './walk-files.ts';
import { type FolderWatch, openFolderWatch } from './watch-folders.ts';

export interface RootOptions<T> {
  readonly pattern: FilePattern;
  readonly maxBytes: number;
  /** Null if the file does not count. Gets the root's real path, to read the file again. */
  parse(file: FoundFile, content: ContainedFile, realRoot: string): Promise<T | null>;
  /** Called for each root before it is read. */
  readonly problemOf?: ProblemOf | undefined;
  /** Called between files, so that other calls are answered while thousands are read. */
  readonly pause: () => Promise<void>;
  /** The number of files and folders from which a root is watched. */
  readonly watchFrom?: number | undefined;
}

/** The same object as before if nothing has changed. */
export interface RootView<T> {
  readonly root: string;
  /** Folder by folder, sorted by name. */
  readonly files: readonly T[];
  readonly trouble: RootTrouble | null;
  /** There are more files than the limit. */
  readonly cut: boolean;
}

export interface CollectionRoot<T> {
  look(at: 'all' | ReadonlySet<string>): Promise<RootView<T>>;
  readonly read: number;
  readonly watched: boolean;
  close(): void;
}

interface Kept<T> {
  readonly file: FoundFile;
  /** Equal digests mean equal content, or the same problem in reading it. */
  readonly digest: string;
  /** A further change would certainly change the fingerprint. */
  readonly conclusive: boolean;
  /** Null if it is not shown. */
  readonly value: T | null;
}

/** Valid while the watch reports nothing. */
interface Trusted {
  readonly identity: string;
  readonly links: ReadonlyMap<string, Fingerprint>;
}

const MAX_LINKS = 200;
/** Below this number of files and folders, checking all costs no more than the watch. */
const WATCHED_FROM = 30;

export function openCollectionRoot<T>(root: string, options: RootOptions<T>): CollectionRoot<T> {
  const { problemOf = () => null, watchFrom = WATCHED_FROM } = options;
  const walk = openWalk(root, options.pattern, problemOf);
  let realRoot = root;
  /** By absolute path, in the order of the walk. */
  let kept = new Map<string, Kept<T>>();
  /** Files that every look must check. */
  const doubtful = new Set<string>();
  let view: RootView<T> = { root, files: [], trouble: null, cut: false };
  let watch: FolderWatch | null | undefined;
  let trusted: Trusted | null = null;
  /** The view is out of date. */
  let changed = false;
  let read = 0;

  /** The known file if it is unchanged, else its current content. */
  const refresh = async (file: FoundFile, known: Kept<T> | undefined): Promise<Kept<T>> => {
    if (known?.conclusive && sameFingerprint(known.file.print, file.print)) return known;
    await options.pause();
    const readAt = Date.now();
    const content = readContained(realRoot, file.absolute, options.maxBytes);
    read += 1;
    const digest = digestOf(content);
    const lasting = content.kind !== 'unreadable' && content.kind !== 'missing';
    const conclusive = lasting && !changedTooRecently(file.print, readAt);
    const gone = content.kind === 'missing' && file.print.link === null;
    if (known?.digest === digest) return { file, digest, conclusive, value: known.value };
    changed = true;
    const value = gone ? null : await options.parse(file, content, realRoot);
    return { file, digest, conclusive, value };
  };

  const keep = (entry: Kept<T>): void => {
    kept.set(entry.file.absolute, entry);
    if (entry.conclusive) doubtful.delete(entry.file.absolute);
    else doubtful.add(entry.file.absolute);
  };

  const show = (trouble: RootTrouble | null, cut: boolean): RootView<T> => {
    if (changed || view.trouble?.why !== trouble?.why || view.cut !== cut) {
      const files = [...kept.values()].flatMap(({ value }) => value ?? []);
      view = { root, files, trouble, cut };
    }
    changed = false;
    return view;
  };

  const lookAtAll = async (): Promise<RootView<T>> => {
    const identity = identify(root);
    trusted = null;
    const walked = walk();
    // After a change of the real path, everything has to be read again.
    const before: ReadonlyMap<string, Kept<T>> = walked.realRoot === realRoot ? kept : new Map();
    realRoot = walked.realRoot;
    kept = new Map();
    doubtful.clear();
    for (const file of walked.files) keep(await refresh(file, before.get(file.absolute)));
    if (kept.size !== before.size) changed = true;
    keepWatch(walked, identity);
    return show(walked.trouble, walked.cut);
  };

  const keepWatch = ({ folders, links, conclusive }: WalkedFiles, identity: string): void => {
    const worthIt = folders.length + kept.size >= watchFrom && links.size <= MAX_LINKS;
    if (watch === undefined && worthIt) watch = openFolderWatch();
    const covered = worthIt && (watch?.cover(folders) ?? false);
    if (!covered) watch?.cover([]);
    trusted = covered && conclusive ? { identity, links } : null;
  };

  /** The files to check if these were touched; null: all of them. */
  const filesToCheck = (touched: ReadonlySet<string> | null): Set<string> | null => {
    if (touched === null || trusted === null || problemOf(root) !== null) return null;
    for (const path of touched) if (!kept.has(path)) return null;
    if (trusted.identity !== identify(root)) return null;
    for (const [path, print] of trusted.links) {
      if (!sameFingerprint(print, takeFingerprint(path))) return null;
    }
    return new Set([...touched, ...doubtful]);
  };

  /** False if more than an edit has happened. */
  const lookAtSome = async (paths: ReadonlySet<string>): Promise<boolean> => {
    for (const path of paths) {
      const known = kept.get(path);
      if (known === undefined) continue;
      const print = takeFingerprint(path);
      if (isGone(print) || !isSameKind(print, known.file.print)) return false;
      const now = await refresh({ ...known.file, print }, known);
      if (now !== known) keep(now);
    }
    return true;
  };

  return {
    async look(at) {
      const touched = watch?.take() ?? null;
      const check = at === 'all' ? null : filesToCheck(touched);
      if (check === null || at === 'all') return lookAtAll();
      for (const path of at) check.add(path);
      return (await lookAtSome(check)) ? show(view.trouble, view.cut) : lookAtAll();
    },
    get read() {
      return read;
    },
    get watched() {
      return trusted !== null;
    },
    close() {
      watch?.close();
      watch = undefined;
      trusted = null;
    },
  };
}

/** A watch reports nothing if the root itself was moved away and replaced. */
function identify(root: string): string {
  const { kind, stats, link } = takeFingerprint(root);
  return stats === null ? kind : `${fileIdentity(stats)} ${link ?? ''}`;
}

function isSameKind(now: Fingerprint, before: Fingerprint): boolean {
  return now.link === before.link && isFile(now) === isFile(before);
}

function digestOf(content: ContainedFile): string {
  if (content.kind === 'unreadable') return `unreadable ${content.why}`;
  if (content.kind !== 'read') return content.kind;
  return hash('sha256', content.bytes, 'base64');
}
