// Whether one path lies below another. Only the text is compared: both must be absolute,
// and resolved already where links matter.

import { isAbsolute, relative, sep } from 'node:path';

/** True for `folder` itself and everything below it. */
export function isInside(folder: string, path: string): boolean {
  return wayInside(folder, path) !== null;
}

/** The way from the folder to the path, empty for the folder itself; null if it leads out. */
export function wayInside(folder: string, path: string): string | null {
  const way = relative(folder, path);
  const out = way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
  return out ? null : way;
}
