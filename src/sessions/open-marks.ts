// Marks of sessions that may be open: an empty file for each in `.deepwork/tmp/open`. A hook runs
// at every stop of an agent and has no time to read a journal only to find that nothing is open.
//
// A mark is created before the event that starts its session and removed after the one that ends
// it, so a crash can leave one too many, never one too few. Marks are a cache, like everything in
// that folder, and may be deleted: a server that lists the open sessions restores missing ones, and
// then creates the file `complete` in the same folder. A reader that finds it need not list the
// journal.

import { lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isSessionId } from '../core/session/state.ts';

const FOLDER = 'open';
/** No session has such an id. */
const COMPLETE = 'complete';
const QUIET = { throwIfNoEntry: false } as const;

export interface OpenMarks {
  add(id: string): void;
  remove(id: string): void;
  list(): string[];
  /** Every open session now has a mark. */
  setComplete(): void;
  /** True for a mark whose session should have begun long ago. */
  isOld(id: string): boolean;
}

const OLD_MS = 60_000;

/** `prepare` creates the folder of the views, or throws if nothing may be written there. */
export function openMarks(folder: string, prepare: () => void): OpenMarks {
  const fileOf = (id: string) => path.join(folder, FOLDER, id);
  const place = (name: string) =>
    attempt(() => {
      prepare();
      mkdirSync(path.join(folder, FOLDER), { recursive: true, mode: 0o700 });
      // Exclusive, so that a link in its place is not followed.
      if (isOwnFolder(folder)) writeFileSync(fileOf(name), '', { flag: 'wx', mode: 0o600 });
    });
  return {
    add(id) {
      place(id);
      attempt(() => {
        const isMissing = isOwnFolder(folder) && lstatSync(fileOf(id), QUIET) === undefined;
        if (isMissing) rmSync(fileOf(COMPLETE), { force: true });
      });
    },
    // In a project where nothing was ever started, nothing is written.
    setComplete: () =>
      attempt(() => {
        if (isOwnFolder(folder)) place(COMPLETE);
      }),
    remove: (id) =>
      attempt(() => {
        if (isOwnFolder(folder)) rmSync(fileOf(id), { force: true });
      }),
    list: () => listOpenMarks(folder),
    isOld: (id) => Date.now() - (lstatSync(fileOf(id), QUIET)?.mtimeMs ?? 0) > OLD_MS,
  };
}

/** A repository may contain a link in its place. */
function isOwnFolder(folder: string): boolean {
  return lstatSync(path.join(folder, FOLDER), QUIET)?.isDirectory() === true;
}

/** A failure is ignored: without a mark, a hook misses the session or reads the journal. */
function attempt(change: () => void): void {
  try {
    change();
  } catch {
    // A later write that is necessary will report the cause.
  }
}

/** A mark is created right before its stream. */
const MAX_BETWEEN_MS = 60_000;

/**
 * Whether every session without a mark has ended. False if the folder of the streams was changed
 * in other ways than by starts, for example by restoring a backup.
 */
export function areAllMarked(folder: string, streams: string): boolean {
  try {
    if (!isOwnFolder(folder)) return false;
    const marks = path.join(folder, FOLDER);
    if (lstatSync(path.join(marks, COMPLETE), QUIET)?.isFile() !== true) return false;
    return lstatSync(streams).mtimeMs <= lstatSync(marks).mtimeMs + MAX_BETWEEN_MS;
  } catch {
    return false;
  }
}

/** The marked ids; empty if there are none, or they cannot be read. */
export function listOpenMarks(folder: string): string[] {
  try {
    const names = isOwnFolder(folder) ? readdirSync(path.join(folder, FOLDER)) : [];
    return names.filter(isSessionId);
  } catch {
    return [];
  }
}
