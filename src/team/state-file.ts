// The state file on disk, `.sgai/state.json`. Other programs write to it, too, and not always
// by renaming, so it may be found half written: it is read again for up to a second before
// it is reported as unreadable. Bytes are compared, not dates, because two writes fit into one tick of a
// clock.
//
// Replacing is a rename, so no reader ever sees half of ours. It happens only while the file
// still holds the bytes that the new text was made from. Writes into the replaced file by a
// program that has it open are picked up: see `late-writes.ts`. (Only a file renamed into
// place in the same moment as ours cannot be detected.)

import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { hasMoreValuesThan } from '../core/json-size.ts';
import { type Refused, refusedWith } from '../core/refusal.ts';
import type { FoundState } from '../core/team/found-state.ts';
import { jsonMembersOf } from '../core/team/json-members.ts';
import { ignoreInGit } from '../files/git-ignored.ts';
import { READ_SAFELY } from '../files/read-contained.ts';
import { openReplacer } from '../files/replace-file.ts';
import { contentOf, MAX_STATE_BYTES, openLateWrites } from './late-writes.ts';

/** The content of the file. */
export interface Look {
  /** Null if there is no file. */
  readonly bytes: Buffer | null;
  /** The parsed content; for a text that this process wrote, only others' fields. */
  readonly found: FoundState;
  /** The text of each member, with the same restriction. */
  readonly members: ReadonlyMap<string, string>;
  /** Exactly what this process wrote. */
  readonly own: boolean;
}

/** Called with what another program wrote, in place, into a file that was just replaced. */
type Late = (text: Look) => void;

export interface StateFile {
  /** The current content. Refused if it cannot be parsed for a second. */
  read(): Promise<Look>;
  /** The same, including our own fields even if this process wrote them. */
  readWhole(): Promise<Look>;
  /** Replaces the text that was read; false if the file has changed since. */
  replace(before: Look, after: Look & { readonly bytes: Buffer }, late: Late): boolean;
  /** Keeps a copy of bytes that will be replaced, unless they were kept last; returns its path. */
  keep(bytes: Buffer): string;
  /** Moves the file away, if it is unreadable or whatever it says; returns its new path, null if it stays. */
  setAside(which: 'unreadable' | 'any'): Promise<string | null>;
  /** Releases the files held for writing. */
  close(): void;
}

const MAX_WAIT_MS = 1000;
const RETRY_MS = 3;
/** Our own part has a few thousand; parsing more would stall the server. */
const MAX_VALUES = 200_000;
/** Messages and answers are private to this user. */
const OWN_FOLDER = { recursive: true, mode: 0o700 };
/** Our files; skills and snippets beside them belong to the team and may be committed. */
const IGNORED = [
  '# Written by deepwork: its own files in this folder. Edit it as you like, it is not replaced.',
  '/.gitignore',
  '/state.json',
  '/foreign/',
  '/.*.tmp',
];
const NOTHING: Look = { bytes: null, found: {}, members: new Map(), own: false };

/** `check` throws if a folder must not be used. */
export function openStateFile(file: string, check: (folder: string) => void = () => {}): StateFile {
  const folder = path.dirname(file);
  const keptFolder = path.join(folder, 'foreign');
  const replacer = openReplacer(folder, () => check(folder));
  const lateWrites = openLateWrites();
  let known = NOTHING;
  /** Content that could not be parsed for a second; it is not waited for again. */
  let unparsable: Buffer | null = null;
  let lastKept: { readonly bytes: Buffer; readonly path: string } | null = null;
  let ignored = false;

  /** The content, null if there is no file, 'odd' if it is not a regular file of a sane size. */
  function bytesNow(): Buffer | null | 'odd' {
    let handle: number;
    try {
      handle = openSync(file, READ_SAFELY);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : 'odd';
    }
    try {
      const info = fstatSync(handle);
      return info.isFile() && info.size <= MAX_STATE_BYTES ? readFileSync(handle) : 'odd';
    } finally {
      closeSync(handle);
    }
  }

  /** Adds the git ignore file first, so that git never sees our files without it. */
  function make(wanted: string): void {
    check(wanted);
    const made = mkdirSync(wanted, OWN_FOLDER);
    if (made === undefined && ignored) return;
    ignoreInGit(folder, IGNORED);
    ignored = true;
  }

  function openIfThere(): number | null {
    try {
      return openSync(file, READ_SAFELY);
    } catch {
      return null;
    }
  }

  /** Whether the name still refers to the opened file. */
  function isTheSameFile(handle: number | null): boolean {
    const named = lstatSync(file, { throwIfNoEntry: false, bigint: true });
    if (handle === null || named === undefined) return handle === null && named === undefined;
    return named.ino === fstatSync(handle, { bigint: true }).ino;
  }

  function parse(bytes: Buffer): Look | null {
    if (known.bytes?.equals(bytes)) return known;
    const look = lookAt(bytes);
    if (look !== null) known = look;
    return look;
  }

  async function look(): Promise<Look | null> {
    check(folder);
    const until = performance.now() + MAX_WAIT_MS;
    /** Not parsed again while it stays the same: a large file would keep the server busy. */
    let failed = unparsable;
    for (;;) {
      const bytes = bytesNow();
      if (bytes === null) return NOTHING;
      // No program writes to a folder, a pipe or a link, so waiting would not help.
      if (bytes === 'odd') return null;
      const parsed = failed?.equals(bytes) ? null : parse(bytes);
      if (parsed !== null) return parsed;
      failed = bytes;
      if (unparsable?.equals(bytes) || performance.now() >= until) {
        unparsable = bytes;
        return null;
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  async function read(): Promise<Look> {
    const seen = await look();
    if (seen === null) throw unreadable();
    unparsable = null;
    return seen;
  }

  return {
    read,
    readWhole() {
      known = NOTHING;
      return read();
    },

    replace(before, after, late) {
      make(folder);
      const old = before.bytes === null ? null : openIfThere();
      if (before.bytes !== null && old === null) return false;
      const isStill = () => isSame(old === null ? bytesNow() : contentOf(old), before.bytes);
      let replaced = false;
      try {
        replaced = replacer.replace(file, after.bytes, () => isStill() && isTheSameFile(old));
        return replaced;
      } finally {
        if (replaced) known = after;
        if (old !== null && replaced && before.bytes !== null) {
          const { bytes } = before;
          lateWrites.add(old, bytes, (changed) => {
            const look = lookAt(changed);
            if (look !== null) late(look);
          });
        } else if (old !== null) {
          closeSync(old);
        }
      }
    },

    keep(bytes) {
      if (lastKept?.bytes.equals(bytes)) return lastKept.path;
      make(keptFolder);
      const kept = path.join(keptFolder, keptName('state'));
      writeFileSync(kept, bytes, { flag: 'wx', mode: 0o600 });
      lastKept = { bytes, path: kept };
      return kept;
    },

    close: replacer.close,

    async setAside(which) {
      for (const needed of [folder, keptFolder]) {
        check(needed);
        refuseIfNotFolder(needed);
      }
      const stays = which === 'any' ? bytesNow() === null : (await look()) !== null;
      if (stays) return null;
      make(keptFolder);
      const kept = path.join(keptFolder, keptName(which === 'any' ? 'state' : which));
      renameSync(file, kept);
      unparsable = null;
      return kept;
    },
  };
}

/** Parses the state file; null if that fails. */
export function lookAt(bytes: Buffer): Look | null {
  // Decoding would replace invalid bytes, including those in others' fields.
  if (!isUtf8(bytes)) return null;
  try {
    const text = bytes.toString('utf8');
    if (hasMoreValuesThan(MAX_VALUES, text)) return null;
    const found: unknown = JSON.parse(text);
    if (typeof found !== 'object' || found === null || Array.isArray(found)) return null;
    return { bytes, found: found as FoundState, members: jsonMembersOf(text), own: false };
  } catch {
    return null;
  }
}

function isSame(one: Buffer | null | 'odd', other: Buffer | null): boolean {
  if (one === null || other === null) return one === other;
  return one !== 'odd' && one.equals(other);
}

function keptName(what: string): string {
  const time = new Date().toISOString().replace(/[-:.]/g, '');
  return `${what}-${time}-${randomBytes(4).toString('hex')}.json`;
}

/** Anything else in a folder's place is not ours to move; a person has to decide. */
function refuseIfNotFolder(folder: string): void {
  const isThere = lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
  if (!isThere || statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  throw refusedWith(
    'not_a_folder',
    `${folder} is in the way: it should be a folder, but is not`,
    'move it away or rename it, then run `deepwork repair` again.',
  );
}

function unreadable(): Refused {
  return refusedWith(
    'state_unreadable',
    'Could not read state.json. Has the workflow been initialized?',
    'have your user run `deepwork repair`, which moves the file aside and writes it again.',
  );
}
