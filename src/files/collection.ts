// Files of one kind (guides, skills, snippets) in all their roots, as they are at each
// look. An edited, added or removed file is seen by the next look; what has not changed is
// neither read nor parsed again. What a look costs is explained in `collection-root.ts`.
//
// One look at a time: the caller sees to it, and to what calls share one.

import { resolve } from 'node:path';
import {
  type CollectionRoot,
  openCollectionRoot,
  type RootOptions,
  type RootView,
} from './collection-root.ts';
import { eventsDelivered } from './watch-folders.ts';

export interface CollectionOptions<T> extends RootOptions<T> {
  /** Asked for at each look. Those that are named twice count once. */
  readonly roots: () => readonly string[];
}

export interface Collection<T> {
  /**
   * One view for each root, the same object as before if nothing has changed. With paths:
   * those files are looked at in any case, the others where they may have changed.
   */
  look(at: 'all' | ReadonlySet<string>): Promise<readonly RootView<T>[]>;
  /** How many files have been read so far. */
  readonly read: number;
  /** Whether the silence of a watch counts for every root. */
  readonly watched: boolean;
  /** Ends the watching of folders; a later look would begin it again. */
  close(): void;
}

export function openCollection<T>(options: CollectionOptions<T>): Collection<T> {
  const opened = new Map<string, CollectionRoot<T>>();
  let readBefore = 0;

  const openRoots = (): CollectionRoot<T>[] => {
    const wanted = new Set(options.roots().map((root) => resolve(root)));
    for (const [path, root] of opened) {
      if (wanted.has(path)) continue;
      readBefore += root.read;
      root.close();
      opened.delete(path);
    }
    return [...wanted].map((path) => {
      const root = opened.get(path) ?? openCollectionRoot(path, options);
      opened.set(path, root);
      return root;
    });
  };

  return {
    async look(at) {
      const roots = openRoots();
      if (roots.some((root) => root.watched)) await eventsDelivered();
      const views: RootView<T>[] = [];
      for (const root of roots) views.push(await root.look(at));
      return views;
    },
    get read() {
      return [...opened.values()].reduce((sum, { read }) => sum + read, readBefore);
    },
    get watched() {
      return [...opened.values()].every((root) => root.watched);
    },
    close() {
      for (const root of opened.values()) root.close();
    },
  };
}
