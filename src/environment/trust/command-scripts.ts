// The content of the project files that a command runs, so that trust in the command includes
// them. Hashes are cached by fingerprint, because they are needed before every run.

import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import { filesNamedIn, type NamedFile } from '../../core/command/named-files.ts';
import {
  changedTooRecently,
  type Fingerprint,
  isFile,
  sameFingerprint,
  takeFingerprint,
} from '../../files/fingerprint.ts';
import { pathInside } from '../../files/inside.ts';
import { READ_SAFELY } from '../../files/read-contained.ts';
import { realPathOrNull } from '../../files/real-path.ts';

/**
 * By path relative to the project: the hash of the file, the target of a link out of the
 * project, `unreadable`, or null for a named file that does not exist.
 */
export type Scripts = Readonly<Record<string, string | null>>;

export interface ScriptReader {
  /** Null if the command is too long, or its files are too large, to be examined. */
  scriptsOf(run: string): Promise<Scripts | null>;
  /** The current content at paths from an earlier result. */
  contentsOf(paths: readonly string[]): Promise<Scripts | null>;
}

const MAX_BYTES = 64 * 1024 * 1024;
const SLICE_BYTES = 1024 * 1024;
const MAX_KEPT = 1000;

export function openScriptReader(root: string): ScriptReader {
  const kept = new Map<string, { print: Fingerprint; hash: string }>();

  async function contentOf(relative: string): Promise<string | null | 'too large'> {
    const real = realPathOrNull(path.join(root, relative));
    if (real === null) return null;
    if (relativeTo(root, real) === null) return `link to ${real}`;
    const print = takeFingerprint(real);
    if (print.stats === null || !isFile(print)) return null;
    if (print.stats.size > MAX_BYTES) return 'too large';
    const known = kept.get(relative);
    if (known !== undefined && sameFingerprint(known.print, print)) return known.hash;
    const readAt = Date.now();
    const hash = await hashOf(real).catch(() => null);
    if (hash === null) return 'unreadable';
    kept.delete(relative);
    if (!changedTooRecently(print, readAt)) kept.set(relative, { print, hash });
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    return hash;
  }

  async function contentsOf(paths: readonly string[]): Promise<Scripts | null> {
    const contents: [string, string | null][] = [];
    for (const each of [...new Set(paths)].sort()) {
      const content = await contentOf(each);
      if (content === 'too large') return null;
      contents.push([each, content]);
    }
    return Object.fromEntries(contents);
  }

  return {
    contentsOf,
    async scriptsOf(run) {
      const named = filesNamedIn(run);
      return named === null ? null : contentsOf(named.flatMap((file) => placesOf(root, file)));
    },
  };
}

/** Where a named file is, relative to the project; if it does not exist, where it would be. */
function placesOf(root: string, { path: named, folders, kind }: NamedFile): string[] {
  const places = folders.flatMap((folder) => {
    const absolute = path.resolve(root, folder, named);
    const relative = relativeTo(root, absolute);
    return relative === null || relative === '' ? [] : [{ relative, absolute }];
  });
  const existing = places.filter(({ absolute }) => {
    const print = takeFingerprint(absolute);
    return isFile(print) && (kind === 'run' || ((print.stats?.mode ?? 0) & 0o111) !== 0);
  });
  const counted = existing.length > 0 || kind === 'executable' ? existing : places.slice(0, 1);
  return counted.map(({ relative }) => relative);
}

async function hashOf(real: string): Promise<string> {
  const handle = openSync(real, READ_SAFELY);
  try {
    if (!fstatSync(handle).isFile()) throw new Error(`'${real}' is not a regular file`);
    const hash = createHash('sha256');
    const buffer = Buffer.allocUnsafe(SLICE_BYTES);
    for (let read = 0; read <= MAX_BYTES; ) {
      const bytes = readSync(handle, buffer, 0, SLICE_BYTES, null);
      if (bytes === 0) return hash.digest('hex');
      hash.update(buffer.subarray(0, bytes));
      read += bytes;
      // Do not block other work while a large file is read.
      if (bytes === SLICE_BYTES) await new Promise((resolve) => setImmediate(resolve));
    }
    throw new Error(`'${real}' grew past ${MAX_BYTES} bytes`);
  } finally {
    closeSync(handle);
  }
}

/** Null if it is outside. */
function relativeTo(root: string, absolute: string): string | null {
  return pathInside(root, absolute)?.split(path.sep).join('/') ?? null;
}
