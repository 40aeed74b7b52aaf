// Lists the streams: walks the journal's folder, enters only folders that a name with the
// prefix could be in, follows no link, and skips everything that is not a stream's file.

import { join } from 'node:path';
import { changedTooRecently } from '../files/fingerprint.ts';
import type { FileLayer, FolderEntry } from './file-layer.ts';
import type { StreamInfo } from './journal.ts';
import { fileOf, isAside, isStreamName, streamOf } from './stream-name.ts';

export async function* listStreams(
  root: string,
  layer: FileLayer,
  prefix: string,
): AsyncGenerator<StreamInfo> {
  const names = await collect((folder) => layer.list(join(root, folder)), prefix);
  for (const stream of names) {
    const facts = await layer.facts(join(root, fileOf(stream)));
    if (facts?.kind === 'file') yield { stream, version: facts.version };
  }
}

/**
 * The names without the facts of each file. An unchanged folder is not listed again, and as
 * long as nothing has changed the same list object is returned, so that callers can compare
 * by identity.
 */
export function openNames(
  root: string,
  layer: FileLayer,
): (prefix: string) => Promise<readonly string[]> {
  const listings = new Map<string, { version: string | null; entries: readonly FolderEntry[] }>();
  const answers = new Map<string, { from: Map<string, readonly FolderEntry[]>; names: string[] }>();

  async function list(folder: string): Promise<readonly FolderEntry[]> {
    // Without the trailing slash, which would follow a link.
    const facts = await layer.facts(join(root, folder.slice(0, -1)));
    // The journal's own folder may be a link, as for appends; none below it may.
    if (folder === '' && facts?.kind === 'other') return layer.list(root);
    if (facts?.kind !== 'folder') return NOTHING;
    const before = listings.get(folder);
    if (before?.version === facts.version) return before.entries;
    const listedAt = Date.now();
    const listed = await layer.list(join(root, folder));
    const entries =
      before !== undefined && isSame(before.entries, listed) ? before.entries : listed;
    const version = changedTooRecently(facts, listedAt) ? null : facts.version;
    listings.set(folder, { version, entries });
    return entries;
  }

  async function isUnchanged(from: Map<string, readonly FolderEntry[]>): Promise<boolean> {
    for (const [folder, entries] of from) if ((await list(folder)) !== entries) return false;
    return true;
  }

  return async (prefix) => {
    const before = answers.get(prefix);
    if (before !== undefined && (await isUnchanged(before.from))) return before.names;
    const from = new Map<string, readonly FolderEntry[]>();
    const listAndRecord = async (folder: string) => {
      const entries = await list(folder);
      from.set(folder, entries);
      return entries;
    };
    const names = await collect(listAndRecord, prefix, firstFolder(prefix));
    answers.set(prefix, { from, names });
    return names;
  };
}

const NOTHING: readonly FolderEntry[] = [];

/** The folder that contains all names with the prefix, so that no other is listed. */
function firstFolder(prefix: string): string {
  const name = prefix.slice(0, Math.max(0, prefix.indexOf('/')));
  return isStreamName(name) && !isAside(name) ? `${name}/` : '';
}

function isSame(before: readonly FolderEntry[], now: readonly FolderEntry[]): boolean {
  return (
    before.length === now.length &&
    before.every(({ name, kind }, index) => now[index]?.name === name && now[index]?.kind === kind)
  );
}

async function collect(
  list: (folder: string) => Promise<readonly FolderEntry[]>,
  prefix: string,
  folder = '',
): Promise<string[]> {
  const found: string[] = [];
  for (const { name, kind } of await list(folder)) {
    const path = folder + name;
    if (kind === 'folder') {
      const reachable = `${path}/`.startsWith(prefix) || prefix.startsWith(`${path}/`);
      // Files that were set aside do not have stream names.
      if (!reachable || !isStreamName(path)) continue;
      found.push(...(await collect(list, prefix, `${path}/`)));
    } else if (kind === 'file') {
      const stream = streamOf(path);
      if (stream?.startsWith(prefix)) found.push(stream);
    }
  }
  return found.sort();
}
