// The few file operations that the journal needs, and nothing else. They are an
// interface so that a test can count them and let each one fail in turn; they are so
// few that the real ones are obviously right.
//
// Opening never follows a link and never waits: a link, a FIFO or a folder in the place
// of a stream's file is refused instead of being written to or hung on.
//
// What the system answers from memory is asked for directly: the way through the thread
// pool costs many times the call. Only what waits for the disk goes that way.

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

type Kind = 'file' | 'folder' | 'other';

export interface FileFacts {
  readonly kind: Kind;
  /** Tells this file from every other that ever had its name. */
  readonly identity: string;
  readonly size: number;
  /** Changes whenever the file's content changes. */
  readonly version: string;
  /** When the content changed last. */
  readonly changedAt: number;
  /** Other users may do something with it. */
  readonly shared: boolean;
}

export interface Entry {
  readonly name: string;
  readonly kind: Kind;
}

export interface OpenFile {
  facts(): Promise<FileFacts>;
  /** Fills `into` from `position` on; gives back how much there was. */
  read(into: Buffer, position: number): Promise<number>;
  /** One write at the end of the file; gives back how much was written. */
  write(bytes: Buffer): Promise<number>;
  /** Resolves when the content is on the disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** `making`: there must be none of that name. */
export type OpenFor = 'reading' | 'appending' | 'creating' | 'making';

export interface FileLayer {
  open(path: string, openFor: OpenFor): Promise<OpenFile>;
  /** Of the name itself, not of what a link points to; null if there is nothing. */
  facts(path: string): Promise<FileFacts | null>;
  /** With all folders above it; gives back the topmost one that was made, if any. */
  makeFolder(path: string): Promise<string | undefined>;
  /** Resolves when the folder's entries are on the disk. */
  syncFolder(path: string): Promise<void>;
  /** What is in a folder; nothing if there is no folder. */
  list(path: string): Promise<Entry[]>;
  /** The new name must not exist. */
  move(from: string, to: string): Promise<void>;
  /** The new name may exist, and then stands for this file. */
  replace(from: string, to: string): Promise<void>;
  /** Makes a folder this user's alone. */
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

// Where a folder cannot be opened or synced at all, there is nothing to make durable
// with; whether the disk failed is another matter, and is told.
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

  async facts(path) {
    try {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      return stats === undefined ? null : describe(stats);
    } catch (error) {
      if (isNothing(error)) return null;
      throw error;
    }
  },

  makeFolder: (path) => fs.mkdir(path, { recursive: true, mode: OWN_FOLDER }),

  async syncFolder(path) {
    let handle: fs.FileHandle | undefined;
    try {
      handle = await fs.open(path, constants.O_RDONLY);
      await handle.sync();
    } catch (error) {
      if (!CANNOT_SYNC_FOLDERS.has(codeOf(error))) throw error;
    } finally {
      await handle?.close();
    }
  },

  async list(path) {
    try {
      const entries = readdirSync(path, { withFileTypes: true });
      return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
    } catch (error) {
      if (isNothing(error)) return [];
      throw error;
    }
  },

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

// Where a folder should be there may be a file; then, too, there is nothing below it.
function isNothing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';
}

/** The system's code of an error (`ENOSPC`), or an empty text. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return typeof code === 'string' ? code : '';
}

// A new file may get the inode of a deleted one; its time of birth is its own. Times in
// milliseconds carry fractions, finer than any file system's clock ticks.
export function identityOf(stats: Stats): string {
  return `${stats.ino}:${stats.birthtimeMs}`;
}

function describe(stats: Stats): FileFacts {
  return {
    kind: kindOf(stats),
    identity: identityOf(stats),
    size: stats.size,
    version: `${stats.ino}:${stats.size}:${stats.mtimeMs}`,
    changedAt: stats.mtimeMs,
    shared: (stats.mode & OTHERS) !== 0,
  };
}

function kindOf(entry: Stats | Dirent): Kind {
  return entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : 'other';
}
