// A file layer that checks, before it opens, lists or changes anything, whether the folder
// may be used: since the last time, it or a folder above it may have become a link to another
// place. Only `facts` is unchecked, because it reads and writes no content. `prepare` runs
// before a folder is made, to set up the one around it.

import { dirname } from 'node:path';
import type { FileLayer } from './file-layer.ts';

/** `check` throws if a folder must not be used. */
export function checkedLayer(
  layer: FileLayer,
  check: (folder: string) => void,
  prepare: () => void = () => {},
): FileLayer {
  const inFolder = <Rest extends unknown[], Result>(
    act: (path: string, ...rest: Rest) => Promise<Result>,
  ) => checked(act, dirname);
  const onFolder = <Result>(act: (path: string) => Promise<Result>) => checked(act, (path) => path);

  function checked<Rest extends unknown[], Result>(
    act: (path: string, ...rest: Rest) => Promise<Result>,
    folderOf: (path: string) => string,
  ) {
    return async (path: string, ...rest: Rest): Promise<Result> => {
      check(folderOf(path));
      return act(path, ...rest);
    };
  }

  function betweenFolders(act: (from: string, to: string) => Promise<void>) {
    return async (from: string, to: string): Promise<void> => {
      for (const path of [from, to]) check(dirname(path));
      return act(from, to);
    };
  }

  return {
    facts: (path) => layer.facts(path),
    open: inFolder(layer.open),
    removeName: inFolder(layer.removeName),
    makeFolder: onFolder(async (path) => {
      prepare();
      return layer.makeFolder(path);
    }),
    syncFolder: onFolder(layer.syncFolder),
    list: onFolder(layer.list),
    names: onFolder(layer.names),
    move: betweenFolders(layer.move),
    link: betweenFolders(layer.link),
    replace: betweenFolders(layer.replace),
    tighten: onFolder(layer.tighten),
  };
}
