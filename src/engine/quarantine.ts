// The quarantined parts of a project's journal, for the person who may reclaim them.

import path from 'node:path';
import { openContainment } from '../environment/containment.ts';
import { isTracked } from '../environment/git/git-index.ts';
import { pathsOf } from '../environment/paths.ts';
import { journalKey, keyFile } from '../environment/signing-key.ts';
import { checkedLayer } from '../journal/checked-layer.ts';
import { realFileLayer } from '../journal/file-layer.ts';
import { type Journal, StreamDamaged, StreamForeign } from '../journal/journal.ts';
import {
  listQuarantined,
  type Quarantined,
  type Reclaimed,
  reclaim,
} from '../journal/reclaim-stream.ts';

export type { Quarantined, Reclaimed };

interface Quarantine {
  list(): Promise<readonly Quarantined[]>;
  reclaim(
    item: Quarantined,
  ): Promise<Reclaimed | { readonly kind: 'tracked'; readonly file: string }>;
}

/**
 * Reads every stream, which moves those that this user did not write here into quarantine.
 * Returns messages about streams that could not be read and stay in place.
 */
export async function readAllStreams(journal: Journal): Promise<string[]> {
  const stuck: string[] = [];
  for (const stream of await journal.names('')) {
    try {
      for await (const _ of journal.read(stream, 0));
    } catch (error) {
      const moved =
        error instanceof StreamDamaged || (error instanceof StreamForeign && !error.inPlace);
      if (!moved) stuck.push((error as Error).message);
    }
  }
  return stuck;
}

export function openQuarantine(projectRoot: string, env: NodeJS.ProcessEnv): Quarantine {
  const { root, journal } = pathsOf(projectRoot);
  const { require } = openContainment(root, () => {});
  const layer = checkedLayer(realFileLayer, require);
  return {
    list: () => listQuarantined(journal, layer),
    async reclaim(item) {
      // A repository can contain a file that only looks as if it was quarantined here.
      for (const name of [`${item.stream}.jsonl`, item.name]) {
        const file = path.join(journal, name);
        if (await isTracked(journal, file)) {
          return { kind: 'tracked', file: path.relative(root, file) };
        }
      }
      return reclaim(journal, item, journalKey(keyFile(env)), layer);
    },
  };
}
