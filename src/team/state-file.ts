// The state file on disk, `.sgai/state.json`. Others write to it, too, and not always by
// renaming, so what is found may be a file in the middle of being written: it is looked
// at again for a second before it is called unreadable. Bytes are compared, not dates: a
// clock's tick is long enough for two writes.
//
// Replacing is a rename, so nobody ever sees half of ours. It happens only while the file
// still holds the bytes that the new text was made from. Who has the replaced file open
// and writes into it is not overheard: see `leftovers.ts`. (A file that is renamed into
// place in the very moment of ours is the one thing that cannot be seen.)

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
import { Refused, refuse } from '../core/refusal.ts';
import type { Found } from '../core/team/found-state.ts';
import { membersOf } from '../core/team/json-members.ts';
import { ignoreInGit } from '../files/git-ignored.ts';
import { READ_SAFELY } from '../files/read-contained.ts';
import { openReplacer } from '../files/replace-file.ts';
import { contentOf, MAX_STATE_BYTES, openLateWrites } from './late-writes.ts';

/** What is in the file. */
export interface Look {
  /** Null if there is no file. */
  readonly bytes: Buffer | null;
  /** What it says; of a text that this process wrote, only what is not ours. */
  readonly found: Found;
  /** The text of each member, likewise. */
  readonly members: ReadonlyMap<string, string>;
  /** Exactly what this process wrote. */
  readonly own: boolean;
}

/** Told of what somebody wrote, in place, into a file that had just been replaced. */
type Late = (text: Look) => void;

export interface StateFile {
  /** What the file holds. Refused if that cannot be understood, for a second. */
  read(): Promise<Look>;
  /** The same, with our own fields even if this process wrote them. */
  readWhole(): Promise<Look>;
  /** Puts a text in the place of the one looked at; false if that is another by now. */
  replace(before: Look, after: Look & { readonly bytes: Buffer }, late: Late): boolean;
  /** Keeps a copy of bytes that are about to be replaced; gives its path. */
  keep(bytes: Buffer): string;
  /** Moves an unreadable file out of the way; gives its new path, or null if it is readable. */
  setAside(): Promise<string | null>;
}

const PATIENCE_MS = 1000;
const LOOK_AGAIN_MS = 3;
/** Our own part has a few thousand; more could not be parsed without a stall. */
const MAX_VALUES = 200_000;
/** Messages and answers are this user's alone. */
const OWN_FOLDER = { recursive: true, mode: 0o700 };
/** Ours; skills and snippets beside them are a team's own, and may be committed. */
const IGNORED = [
  '# By deepwork: what it writes here. Edit this as you like, it is not replaced.',
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
  const leftovers = openLateWrites();
  let known = NOTHING;
  let hopeless: Buffer | null = null;
  let ignored = false;

  /** The content, null if there is none, 'odd' if what is there is no text of ours to read. */
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

  /** Told to git first: nothing of ours is ever seen without that. */
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

  /** Whether the name still stands for the file that was opened. */
  function isTheSameFile(handle: number | null): boolean {
    const named = lstatSync(file, { throwIfNoEntry: false, bigint: true });
    if (handle === null || named === undefined) return handle === null && named === undefined;
    return named.ino === fstatSync(handle, { bigint: true }).ino;
  }

  function understand(bytes: Buffer): Look | null {
    if (known.bytes?.equals(bytes)) return known;
    const look = lookAt(bytes);
    if (look !== null) known = look;
    return look;
  }

  async function look(patience: number): Promise<Look | null> {
    check(folder);
    const until = performance.now() + patience;
    for (;;) {
      const bytes = bytesNow();
      if (bytes === null) return NOTHING;
      // No program writes a folder, a pipe or a link: there is nothing to wait for.
      if (bytes === 'odd') return null;
      const understood = understand(bytes);
      if (understood !== null) return understood;
      if (hopeless?.equals(bytes) || performance.now() >= until) {
        hopeless = bytes;
        return null;
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  }

  async function read(): Promise<Look> {
    const seen = await look(PATIENCE_MS);
    if (seen === null) throw unreadable();
    hopeless = null;
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
          leftovers.add(old, bytes, (changed) => {
            const look = lookAt(changed);
            if (look !== null) late(look);
          });
        } else if (old !== null) {
          closeSync(old);
        }
      }
    },

    keep(bytes) {
      make(keptFolder);
      const kept = path.join(keptFolder, keptName('state'));
      writeFileSync(kept, bytes, { flag: 'wx', mode: 0o600 });
      return kept;
    },

    async setAside() {
      for (const needed of [folder, keptFolder]) {
        check(needed);
        refuseWhatIsNoFolder(needed);
      }
      if ((await look(PATIENCE_MS)) !== null) return null;
      make(keptFolder);
      const kept = path.join(keptFolder, keptName('unreadable'));
      renameSync(file, kept);
      hopeless = null;
      return kept;
    },
  };
}

/** What bytes say, or null if that cannot be understood. */
export function lookAt(bytes: Buffer): Look | null {
  // As text, other bytes would be replaced, and so would what belongs to others.
  if (!isUtf8(bytes)) return null;
  try {
    const text = bytes.toString('utf8');
    if (hasMoreValuesThan(MAX_VALUES, text)) return null;
    const found: unknown = JSON.parse(text);
    if (typeof found !== 'object' || found === null || Array.isArray(found)) return null;
    return { bytes, found: found as Found, members: membersOf(text), own: false };
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

/** What stands where a folder should be is somebody's, and only a person can tell whose. */
function refuseWhatIsNoFolder(folder: string): void {
  const isThere = lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
  if (!isThere || statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new Refused(
    refuse(
      'not_a_folder',
      `${folder} is in the way: it should be a folder, and is not`,
      'move it away or rename it, then run `deepwork repair` again.',
    ),
  );
}

function unreadable(): Refused {
  return new Refused(
    refuse(
      'state_unreadable',
      'Could not read state.json. Has the workflow been initialized?',
      'have your user run `deepwork repair`, which moves the file aside and writes it anew.',
    ),
  );
}
