// What is at a path. A link is not followed; what cannot be examined counts as absent.

import { lstatSync, type Stats } from 'node:fs';

export function entryAt(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}
