// Which streams there are: a walk over the journal's folder that looks only into
// folders a name with the prefix could be in, follows no link, and passes over
// everything that is not a stream's file.

import { join } from 'node:path';
import type { Entry, FileLayer } from './file-layer.ts';
import type { StreamInfo } from './journal.ts';
import { DAMAGED, fileOf, isStreamName, streamOf } from './stream-name.ts';

const AT_ONCE = 64;

export async function* listStreams(
  root: string,
  layer: FileLayer,
  prefix: string,
): AsyncGenerator<StreamInfo> {
  const names = await collect((folder) => layer.list(join(root, folder)), prefix);
  for (let start = 0; start < names.length; start += AT_ONCE) {
    const some = names.slice(start, start + AT_ONCE);
    const facts = await Promise.all(some.map((stream) => layer.facts(join(root, fileOf(stream)))));
    for (const [index, stream] of some.entries()) {
      const found = facts[index];
      if (found?.kind === 'file') yield { stream, version: found.version };
    }
  }
}

/** The same names without a look at each file; an unchanged folder is not listed again. */
export function openNames(root: string, layer: FileLayer): (prefix: string) => Promise<string[]> {
  const kept = new Map<string, { version: string; entries: readonly Entry[] }>();

  async function list(folder: string): Promise<readonly Entry[]> {
    const facts = await layer.facts(join(root, folder));
    // The journal's own folder may be a link, as it may be for appends; none below it.
    if (folder === '' && facts?.kind === 'other') return layer.list(root);
    if (facts?.kind !== 'folder') return [];
    const before = kept.get(folder);
    if (before?.version === facts.version) return before.entries;
    const listedAt = Date.now();
    const entries = await layer.list(join(root, folder));
    // Two names that come within one tick of the file system's clock leave one time
    // stamp, so a listing made that soon is not kept.
    if (listedAt - facts.changedMs > TICK_MS) kept.set(folder, { version: facts.version, entries });
    return entries;
  }

  return (prefix) => collect(list, prefix);
}

const TICK_MS = 100;

async function collect(
  list: (folder: string) => Promise<readonly Entry[]>,
  prefix: string,
  folder = '',
): Promise<string[]> {
  const found: string[] = [];
  for (const { name, kind } of await list(folder)) {
    const path = folder + name;
    if (kind === 'folder') {
      const reachable = `${path}/`.startsWith(prefix) || prefix.startsWith(`${path}/`);
      if (!reachable || path === DAMAGED || !isStreamName(path)) continue;
      found.push(...(await collect(list, prefix, `${path}/`)));
    } else if (kind === 'file') {
      const stream = streamOf(path);
      if (stream?.startsWith(prefix)) found.push(stream);
    }
  }
  return found.sort();
}
