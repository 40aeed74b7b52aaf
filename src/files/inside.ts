// Whether one path is below another. Only the text is compared: both must be absolute, and
// already resolved if links matter.

import { isAbsolute, relative, sep } from 'node:path';

/** True for `folder` itself and everything below it. */
export function isInside(folder: string, path: string): boolean {
  return pathInside(folder, path) !== null;
}

/** The path relative to the folder, '' for the folder itself; null if it is outside. */
export function pathInside(folder: string, path: string): string | null {
  const inside = relative(folder, path);
  const out = inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside);
  return out ? null : inside;
}
