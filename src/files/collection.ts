// Files of one kind (guides, skills, snippets) in all their roots, as they are at each look.
// An edited, added or removed file is seen by the next look; unchanged files are neither read
// nor parsed again. `collection-root.ts` explains what a look costs.
//
// The caller must not start two looks at once, and decides which calls share one.

import { resolve } from 'node:path';
import {
  type CollectionRoot,
  openCollectionRoot,
  type RootOptions,
  type RootView,
} from './collection-root.ts';
import { eventsDelivered } from './watch-folders.ts';

export interface CollectionOptions<T> extends RootOptions<T> {
  /** Called at each look. Duplicates count once. */
  readonly roots: () => readonly string[];
}

export interface Collection<T> {
  /**
   * One view for each root, the same object as before if nothing has changed. Given paths are
   * always checked, other files only if they may have changed.
   */
  look(at: 'all' | ReadonlySet<string>): Promise<readonly RootView<T>[]>;
  /** How many files have been read so far. */
  readonly read: number;
  /** Whether every root has a reliable watch. */
  readonly watched: boolean;
  /** Stops watching; a later look would start it again. */
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
