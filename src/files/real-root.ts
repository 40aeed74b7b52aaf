// The real path of a project's root, asked for once: the root of a project does not move
// while a server works in it.

import { realpathSync } from 'node:fs';

const known = new Map<string, string>();

/** The path as given while nothing is there. */
export function realRootOf(root: string): string {
  const before = known.get(root);
  if (before !== undefined) return before;
  try {
    const real = realpathSync.native(root);
    known.set(root, real);
    return real;
  } catch {
    return root;
  }
}
