// Which sessions may be open, told by an empty file each in `.deepwork/tmp/open`. A hook runs at
// every stop of an agent and has no time to read a journal only to learn that nothing is open.
//
// A mark is made before the event that starts its session and removed after the one that ends it,
// so a crash can leave one too many, never one too few. Marks are a cache like everything in that
// folder and may be deleted: a server that lists the open sessions makes missing ones anew, and
// then says in the same folder that none is missing. A reader that finds that note need not list the journal.

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
  /** Every open session has a mark now. */
  setComplete(): void;
  /** True for a mark whose session should have begun long ago. */
  isOld(id: string): boolean;
}

const OLD_MS = 60_000;

/** `prepare` makes the folder of the views, or throws if nothing may be written there. */
export function openMarks(folder: string, prepare: () => void): OpenMarks {
  const fileOf = (id: string) => path.join(folder, FOLDER, id);
  const place = (name: string) =>
    attempt(() => {
      prepare();
      mkdirSync(path.join(folder, FOLDER), { recursive: true, mode: 0o700 });
      // Exclusively: a link in its place is not written through.
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
    // Where nothing was ever started, there is nothing to be sure of and nothing is written.
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

/** A repository may bring a link in its place. */
function isOwnFolder(folder: string): boolean {
  return lstatSync(path.join(folder, FOLDER), QUIET)?.isDirectory() === true;
}

/** No call fails for want of a mark: then a hook says nothing, or looks once too often. */
function attempt(change: () => void): void {
  try {
    change();
  } catch {
    // A project that cannot be written to is reported by what has to be written.
  }
}

/** A start makes its mark right before its stream. */
const MAX_BETWEEN_MS = 60_000;

/**
 * Whether every session that is not marked has ended. Not sure if the folder of the streams
 * changed by other means than starts, such as a backup that was put back.
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

/** The ids that are marked; empty if nothing is, or nothing can be read. */
export function listOpenMarks(folder: string): string[] {
  try {
    const names = isOwnFolder(folder) ? readdirSync(path.join(folder, FOLDER)) : [];
    return names.filter(isSessionId);
  } catch {
    return [];
  }
}
