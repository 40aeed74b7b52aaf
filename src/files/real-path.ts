// The real path of a file, so that two names of the same file compare as equal.

import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';

/** The given path, made absolute, if it does not exist. */
export function realPathOf(file: string): string {
  return realPathOrNull(file) ?? resolve(file);
}

export function realPathOrNull(file: string): string | null {
  try {
    return realpathSync.native(file);
  } catch {
    return null;
  }
}
