// The real path of a project's root, resolved once: the root does not move while a server
// works in it.

import { realPathOrNull } from './real-path.ts';

const known = new Map<string, string>();

/** The given path if it does not exist. */
export function realRootOf(root: string): string {
  const real = known.get(root) ?? realPathOrNull(root);
  if (real !== null) known.set(root, real);
  return real ?? root;
}
