// The file operations that the journal needs. They are an interface so that a test can count them
// and make each one fail in turn.
//
// Opening never follows a link and never blocks: a link, a FIFO or a folder in the place of a
// stream's file is refused.
//
// Calls that the system answers from memory are synchronous, because the thread pool costs
// many times the call itself. Only calls that wait for the disk are asynchronous.

import {
  closeSync,
  constants,
  type Dirent,
  fdatasync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
  writeSync,
} from 'node:fs';
import * as fs from 'node:fs/promises';
import { promisify } from 'node:util';
import { errorCode } from '../files/system-errors.ts';

type Kind = 'file' | 'folder' | 'other';

export interface FileFacts {
  readonly kind: Kind;
  /** Distinguishes this file from every other that ever had its name. */
  readonly identity: string;
  readonly size: number;
  /** Changes whenever the file's content changes. */
  readonly version: string;
  /** When the content changed last. */
  readonly changedAt: number;
  /** Other users have some access to it. */
  readonly shared: boolean;
}

export interface FolderEntry {
  readonly name: string;
  readonly kind: Kind;
}

export interface OpenFile {
  facts(): Promise<FileFacts>;
  /** Fills `into` from `position` on; returns how many bytes there were. */
  read(into: Buffer, position: number): Promise<number>;
  /** One write at the end of the file; returns how many bytes were written. */
  write(bytes: Buffer): Promise<number>;
  /** Resolves when the content is on the disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** `making`: the name must not exist. */
export type OpenFor = 'reading' | 'appending' | 'creating' | 'making';

export interface FileLayer {
  open(path: string, openFor: OpenFor): Promise<OpenFile>;
  /** Facts of the name itself, not of a link's target; null if there is nothing. */
  facts(path: string): Promise<FileFacts | null>;
  /** Makes the folder and its parents; returns the topmost one made, if any. */
  makeFolder(path: string): Promise<string | undefined>;
  /** Resolves when the folder's entries are on the disk. */
  syncFolder(path: string): Promise<void>;
  /** The entries of a folder; empty if there is no folder. */
  list(path: string): Promise<FolderEntry[]>;
  /** Only their names, which costs less than half. */
  names(path: string): Promise<string[]>;
  /** The new name must not exist. */
  move(from: string, to: string): Promise<void>;
  /** The new name may exist; then it is replaced. */
  replace(from: string, to: string): Promise<void>;
  /** Restricts a folder to this user. */
  tighten(path: string): Promise<void>;
  /** Gives a file a second name; fails if that exists. */
  link(from: string, to: string): Promise<void>;
  removeName(path: string): Promise<void>;
}

const datasync = promisify(fdatasync);

const SAFELY = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const FLAGS: Record<OpenFor, number> = {
  reading: SAFELY | constants.O_RDONLY,
  appending: SAFELY | constants.O_RDWR | constants.O_APPEND,
  creating: SAFELY | constants.O_RDWR | constants.O_APPEND | constants.O_CREAT,
  making: SAFELY | constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL,
};

const OWN_FILE = 0o600;
const OWN_FOLDER = 0o700;
const OTHERS = 0o077;

// Errors of systems that cannot open or sync a folder at all. A failing disk has other codes,
// and those are reported.
const CANNOT_SYNC_FOLDERS = new Set(['EINVAL', 'EISDIR', 'EPERM', 'EACCES', 'ENOTSUP']);

export const realFileLayer: FileLayer = {
  async open(path, openFor) {
    const handle = openSync(path, FLAGS[openFor], OWN_FILE);
    return {
      facts: async () => describe(fstatSync(handle)),
      read: async (into, position) => readSync(handle, into, 0, into.length, position),
      write: async (bytes) => writeSync(handle, bytes),
      sync: () => datasync(handle),
      close: async () => closeSync(handle),
    };
  },

  facts: async (path) => ifThere(() => describe(lstatSync(path)), null),

  makeFolder: (path) => fs.mkdir(path, { recursive: true, mode: OWN_FOLDER }),

  async syncFolder(path) {
    let handle: fs.FileHandle | undefined;
    try {
      handle = await fs.open(path, constants.O_RDONLY);
      await handle.sync();
    } catch (error) {
      if (!CANNOT_SYNC_FOLDERS.has(errorCode(error))) throw error;
    } finally {
      await handle?.close();
    }
  },

  async list(path) {
    const entries = ifThere(() => readdirSync(path, { withFileTypes: true }), []);
    return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
  },

  names: async (path) => ifThere(() => readdirSync(path), []),

  move: (from, to) => fs.rename(from, to),
  replace: (from, to) => fs.rename(from, to),

  async tighten(path) {
    const handle = await fs.open(path, SAFELY | constants.O_RDONLY | (constants.O_DIRECTORY ?? 0));
    try {
      await handle.chmod(OWN_FOLDER);
    } finally {
      await handle.close();
    }
  },

  link: (from, to) => fs.link(from, to),
  removeName: (path) => fs.unlink(path),
};

// If a file is where a folder should be, there is nothing below it either.
function ifThere<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return otherwise;
    throw error;
  }
}

// A new file may reuse the inode of a deleted one, but has its own birth time. Times in
// milliseconds have fractions, finer than the clock tick of any file system.
export function journalFileIdentity(stats: Stats): string {
  return `${stats.ino}:${stats.birthtimeMs}`;
}

function describe(stats: Stats): FileFacts {
  return {
    kind: kindOf(stats),
    identity: journalFileIdentity(stats),
    size: stats.size,
    version: `${stats.ino}:${stats.size}:${stats.mtimeMs}`,
    changedAt: stats.mtimeMs,
    shared: (stats.mode & OTHERS) !== 0,
  };
}

function kindOf(entry: Stats | Dirent): Kind {
  return entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : 'other';
}
