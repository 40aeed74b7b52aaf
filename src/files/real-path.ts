// Where a path really leads, for comparing: the same file by two names is the same file.

import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';

/** The path as given, made absolute, while nothing is there. */
export function realPathOf(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    return resolve(file);
  }
}
