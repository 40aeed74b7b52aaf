// A temporary folder, by its real path. It is in memory where there is plenty of it, as the system's
// own folder is on many machines: the tests write and remove thousands of projects.

import { mkdtempSync, realpathSync, statfsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const MEMORY = '/dev/shm';
/** All tests together need less than a quarter of it. */
const ENOUGH_BYTES = 8 * 1024 ** 3;

/** To be removed by the caller; see `tempFolder` for one of a single test. */
export function makeTempFolder(name: string): string {
  return realpathSync(mkdtempSync(path.join(place, `deepwork-${name}-`)));
}

const place = hasEnoughMemory() ? MEMORY : os.tmpdir();

function hasEnoughMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}
