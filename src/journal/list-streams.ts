// Which streams there are: a walk over the journal's folder that looks only into
// folders a name with the prefix could be in, follows no link, and passes over
// everything that is not a stream's file.

import { join } from 'node:path';
import type { FileLayer } from './file-layer.ts';
import type { StreamInfo } from './journal.ts';
import { DAMAGED, fileOf, isStreamName, streamOf } from './stream-name.ts';

const AT_ONCE = 64;

export async function* listStreams(
  root: string,
  layer: FileLayer,
  prefix: string,
): AsyncGenerator<StreamInfo> {
  const names = (await collect(root, layer, prefix, '')).sort();
  for (let start = 0; start < names.length; start += AT_ONCE) {
    const some = names.slice(start, start + AT_ONCE);
    const facts = await Promise.all(some.map((stream) => layer.facts(join(root, fileOf(stream)))));
    for (const [index, stream] of some.entries()) {
      const found = facts[index];
      if (found?.kind === 'file') yield { stream, version: found.version };
    }
  }
}

async function collect(
  root: string,
  layer: FileLayer,
  prefix: string,
  folder: string,
): Promise<string[]> {
  const found: string[] = [];
  for (const { name, kind } of await layer.list(join(root, folder))) {
    const path = folder + name;
    if (kind === 'folder') {
      const reachable = `${path}/`.startsWith(prefix) || prefix.startsWith(`${path}/`);
      if (!reachable || path === DAMAGED || !isStreamName(path)) continue;
      found.push(...(await collect(root, layer, prefix, `${path}/`)));
    } else if (kind === 'file') {
      const stream = streamOf(path);
      if (stream?.startsWith(prefix)) found.push(stream);
    }
  }
  return found;
}
