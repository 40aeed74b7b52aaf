// The real path of a project's root, resolved once: the root does not move while a server
// works in it.

import { realpathSync } from 'node:fs';

const known = new Map<string, string>();

/** The given path if it does not exist. */
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
