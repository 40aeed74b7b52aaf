// Whether a file came with a repository: the index of the surrounding repository lists it,
// and the file still begins with the content that git recorded. Both are required, because a
// name stays in the index when another file takes its place.
//
// The index is parsed here, without running git, which would obey the repository's config. It
// is read once, in slices, and again only when it has changed. An index that cannot be parsed
// lists nothing; the journal's signature is the second protection.
//
//   header   "DIRC", version 2 to 4, number of entries
//   entry    40 bytes of stat (the last 4: size), hash, flags, name
//            version 3 and 4: two more bytes after the flags, if a flag is set
//            version 2 and 3: padded with zeros to a multiple of 8
//            version 4: instead of the name, how many bytes of the previous name to drop, and
//            the bytes to append

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { entryAt } from '../../files/entry.ts';
import { openReadCache, takeFingerprint } from '../../files/fingerprint.ts';
import { readSmallText } from '../../files/read-contained.ts';
import { realPathOrNull } from '../../files/real-path.ts';

/** What git has recorded about a file. */
interface Recorded {
  readonly size: number;
  /** Hex; sha1 or sha256, by its length. */
  readonly hash: string;
}

export type CameWithClone = (
  file: string,
  content: { read(into: Buffer, position: number): Promise<number> },
) => Promise<boolean>;

const MAX_INDEX_BYTES = 512 * 1024 * 1024;
/** Larger files are not compared: it is enough that git tracks the name. */
const MAX_RECORDED_BYTES = 64 * 1024 * 1024;
const ENTRIES_AT_ONCE = 2000;
/** No file system allows longer ones, but an index of version 4 can expand to any length. */
const MAX_NAME_BYTES = 4096;
const MAX_LISTED = 200_000;
const CHUNK_BYTES = 256 * 1024;

interface IndexedFolder {
  readonly gitFolder: string;
  /** The folder's path in the repository, as in the index, with a trailing slash. */
  readonly below: string;
}

/** Whether git tracks this file, which need not exist, below this folder. */
export async function isTracked(folder: string, file: string): Promise<boolean> {
  const repository = repositoryAround(folder);
  if (repository === null) return false;
  const entries = await readIndexes(repository.gitFolder, repository.below);
  return entries.has(nameIn(repository, folder, file));
}

/** For files below this folder. */
export function openGitIndex(folder: string): CameWithClone {
  // Searched for once: a repository created later does not bring files along.
  let repository: IndexedFolder | null | undefined;
  const readOnce = openReadCache<Promise<ReadonlyMap<string, Recorded>>>();

  function listed({ gitFolder, below }: IndexedFolder): Promise<ReadonlyMap<string, Recorded>> {
    const print = takeFingerprint(path.join(gitFolder, 'index'));
    return readOnce(print, async () =>
      print.kind === 'present' ? readIndexes(gitFolder, below) : new Map(),
    );
  }

  return async (file, content) => {
    if (repository === undefined) repository = repositoryAround(folder);
    if (repository === null) return false;
    const recorded = (await listed(repository)).get(nameIn(repository, folder, file));
    return recorded !== undefined && (await beginsWith(content, recorded));
  };
}

function nameIn({ below }: IndexedFolder, folder: string, file: string): string {
  return below + path.relative(folder, file).split(path.sep).join('/').toLowerCase();
}

function repositoryAround(folder: string): IndexedFolder | null {
  const real = realPathOrNull(folder);
  if (real === null) return null;
  for (let top = real; ; top = path.dirname(top)) {
    const gitFolder = gitFolderIn(top);
    if (gitFolder !== null) {
      const within = path.relative(top, real).split(path.sep).join('/');
      // On file systems that ignore case, another spelling is the same file.
      return { gitFolder, below: within === '' ? '' : `${within.toLowerCase()}/` };
    }
    if (top === path.dirname(top)) return null;
  }
}

/** `.git` is a folder, or a file that names that folder. */
function gitFolderIn(folder: string): string | null {
  const dotGit = path.join(folder, '.git');
  const entry = entryAt(dotGit);
  if (entry?.isDirectory()) return dotGit;
  if (!entry?.isFile()) return null;
  const [, named] = /^gitdir: (.+)$/m.exec(readSmallText(dotGit, 64 * 1024) ?? '') ?? [];
  return named === undefined ? null : path.resolve(folder, named.trim());
}

async function readIndexes(
  gitFolder: string,
  below: string,
): Promise<ReadonlyMap<string, Recorded>> {
  const entries = new Map<string, Recorded>();
  try {
    // A split index keeps most entries in a shared file beside it.
    const shared = (await readdir(gitFolder)).filter((name) => name.startsWith('sharedindex.'));
    for (const name of [...shared, 'index']) {
      const file = path.join(gitFolder, name);
      const entry = entryAt(file);
      if (!entry?.isFile() || entry.size > MAX_INDEX_BYTES) continue;
      await collect(await readFile(file), hashLength(gitFolder), below, entries);
    }
  } catch {
    // Entries that cannot be read or parsed are left out.
  }
  return entries;
}

function hashLength(gitFolder: string): number {
  try {
    // The config of a worktree is in the main repository.
    const common = readSmallText(path.join(gitFolder, 'commondir'), 4096)?.trim() ?? '.';
    const config = readSmallText(path.resolve(gitFolder, common, 'config'), 1024 * 1024);
    return /^\s*objectformat\s*=\s*sha256\s*$/im.test(config ?? '') ? 32 : 20;
  } catch {
    return 20;
  }
}

const STAT_BYTES = 40;
const EXTENDED_FLAG = 0x4000;

async function collect(
  bytes: Buffer,
  hashBytes: number,
  below: string,
  into: Map<string, Recorded>,
): Promise<void> {
  const version = bytes.readUInt32BE(4);
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4) return;
  const count = bytes.readUInt32BE(8);
  let at = 12;
  let before: Buffer = Buffer.alloc(0);
  for (let entry = 0; entry < count; entry++) {
    if (entry % ENTRIES_AT_ONCE === ENTRIES_AT_ONCE - 1) await yieldToEventLoop();
    const flagsAt = at + STAT_BYTES + hashBytes;
    let from = flagsAt + 2 + ((bytes.readUInt16BE(flagsAt) & EXTENDED_FLAG) === 0 ? 0 : 2);
    let kept = 0;
    if (version === 4) {
      const dropped = offsetAt(bytes, from);
      kept = before.length - dropped.value;
      from = dropped.next;
    }
    const end = bytes.indexOf(0, from);
    if (end === -1 || kept < 0 || kept + end - from > MAX_NAME_BYTES) return;
    if (into.size > MAX_LISTED) return;
    const rest = bytes.subarray(from, end);
    const name = kept === 0 ? rest : Buffer.concat([before.subarray(0, kept), rest]);
    before = name;
    if (name.length > below.length && name.toString('utf8').toLowerCase().startsWith(below)) {
      into.set(name.toString('utf8').toLowerCase(), {
        size: bytes.readUInt32BE(at + STAT_BYTES - 4),
        hash: bytes.toString('hex', at + STAT_BYTES, flagsAt),
      });
    }
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7);
  }
}

/** Git's variable-length number: seven bits per byte, and each byte but the last adds one. */
function offsetAt(bytes: Buffer, from: number): { value: number; next: number } {
  let next = from;
  let byte = bytes.readUInt8(next++);
  let value = byte & 127;
  while ((byte & 128) !== 0) {
    byte = bytes.readUInt8(next++);
    value = (value + 1) * 128 + (byte & 127);
  }
  return { value, next };
}

/** Whether a file begins with the bytes that git has recorded. */
async function beginsWith(
  content: { read(into: Buffer, position: number): Promise<number> },
  { size, hash }: Recorded,
): Promise<boolean> {
  if (size === 0) return false;
  if (size > MAX_RECORDED_BYTES) return true;
  const digest = createHash(hash.length === 40 ? 'sha1' : 'sha256').update(`blob ${size}\0`);
  for (let at = 0; at < size; ) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - at));
    const count = await content.read(chunk, at);
    if (count === 0) return false;
    digest.update(chunk.subarray(0, count));
    at += count;
    await yieldToEventLoop();
  }
  return digest.digest('hex') === hash;
}
