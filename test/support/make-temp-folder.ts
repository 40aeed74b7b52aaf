// Temporary folders, by their real path. They are in memory where there is plenty of it, as the system's
// own are on many machines: the tests write and remove thousands of projects.

import { mkdtempSync, realpathSync, statfsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const MEMORY = '/dev/shm';
/** All tests together need less than a quarter of it. */
const ENOUGH_BYTES = 8 * 1024 ** 3;

/** For everything that the tests start, too. */
export const TEMPORARY = hasEnoughMemory() ? MEMORY : os.tmpdir();

/** To be removed by the caller; see `tempFolder` for one of a single test. */
export function makeTempFolder(name: string): string {
  return realpathSync(mkdtempSync(path.join(TEMPORARY, `deepwork-${name}-`)));
}

function hasEnoughMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}
