// A file layer that asks, before it opens, lists or changes anything, whether the journal's
// folder may be used at all: it may have become a link to another place since the last
// time. Only looking at a name's facts is free, because nothing is read or written by it.

import type { FileLayer } from './file-layer.ts';

/** `check` throws if the journal's folder must not be used. */
export function checkedLayer(layer: FileLayer, check: () => void): FileLayer {
  const checked =
    <Args extends unknown[], Result>(act: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      check();
      return act(...args);
    };
  return {
    facts: (path) => layer.facts(path),
    open: checked(layer.open),
    makeFolder: checked(layer.makeFolder),
    syncFolder: checked(layer.syncFolder),
    list: checked(layer.list),
    move: checked(layer.move),
    link: checked(layer.link),
    removeName: checked(layer.removeName),
  };
}
